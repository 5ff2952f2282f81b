// What the load generator runs on. k6 says nothing of that to a script, nor can a
// script read /proc through k6; loadtest/k6 hands it over in the environment.

export function machine() {
  return {
    cpu: __ENV.LOADTEST_CPU || 'unknown',
    cores: 1, // until k6's metrics say it
    memory: 1024 * (Number(__ENV.LOADTEST_MEMORY_KB) || 0),
    os: __ENV.LOADTEST_OS || 'unknown',
    arch: __ENV.LOADTEST_ARCH || 'unknown',
  };
}
