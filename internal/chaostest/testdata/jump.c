// The wall clock of a program that this is loaded into before the C library: the
// system's, and as many seconds more as a file says, to which a test writes. The
// monotonic clock stays as it is, as it does when somebody sets a machine's clock.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *jump;

__attribute__((constructor)) static void find(void) {
  const char *name = getenv("BROKERAGE_TEST_CLOCK");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  void *page = mmap(NULL, sizeof *jump, PROT_READ, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) abort(); // a test that sees no jump would prove nothing
  close(fd);
  jump = page;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  int result = (int)syscall(SYS_clock_gettime, clock, t);
  if (result == 0 && jump && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += *jump;
  return result;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
  struct timespec t;
  (void)zone; // nobody has asked for it in this century
  if (clock_gettime(CLOCK_REALTIME, &t) != 0) return -1;
  tv->tv_sec = t.tv_sec;
  tv->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec t;
  if (clock_gettime(CLOCK_REALTIME, &t) != 0) return -1;
  if (result) *result = t.tv_sec;
  return t.tv_sec;
}
