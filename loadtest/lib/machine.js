// The computer of the load generator. A script can neither ask k6 nor read /proc, so loadtest/k6 passes this in the
// environment.

export function machine() {
  return {
    cpu: __ENV.LOADTEST_CPU || 'unknown',
    cores: 1, // until k6's metrics have it
    memory: 1024 * (Number(__ENV.LOADTEST_MEMORY_KB) || 0),
    os: __ENV.LOADTEST_OS || 'unknown',
    arch: __ENV.LOADTEST_ARCH || 'unknown',
  };
}
