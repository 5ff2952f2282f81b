#!/bin/sh
# Tries the store on a Db2 and packs what it answered: the service "trial" of deploy/docker/compose.db2.yaml and "make test-db2"
# run it in the folder of a checkout. The variables:
#
#   DB2_DSN                the URL of the database, db2://USER@HOST:PORT/DATABASE; the password is in BROKERAGE_DB_PASSWORD
#   DB2_EVIDENCE           the folder of what it leaves, beside an archive of the same name (db2-evidence)
#   DB2_LOGS               a folder with the server's logs: the trial waits for the end of the setup in setup.log there
#   DB2_CONFIGURE=yes      also configures the database, and leaves restore.clp
#   DB2_CAMPAIGN           more arguments of the smoke campaign, such as "--scale tiny"
#   DB2_PROGRAM            a program with the driver, instead of the one that is built here; empty for no campaign
#   DB2_RUN                which steps to run, as "go test -run" has it (^TestServer$)
#
# It exits with 0 if everything was confirmed.
set -u
evidence=${DB2_EVIDENCE:-db2-evidence}
mkdir -p "$evidence"

# The database answers before the setup is over, which may restart it.
if [ -n "${DB2_LOGS:-}" ]; then
  waited=0
  until grep -qs 'Setup has completed' "$DB2_LOGS/setup.log"; do
    if [ "$waited" -ge 1500 ]; then
      echo "trial: $DB2_LOGS/setup.log does not say that the setup has completed; continuing after 25 minutes" | tee -a "$evidence/setup.txt"
      break
    fi
    sleep 5
    waited=$((waited + 5))
  done
fi

echo "trial: building the program; then it takes about an hour, and $evidence/tests.txt grows"
build() {
  environment=$(go run -C internal/store/db2/db2test ./fetch) || return
  [ -n "${DB2_PROGRAM+set}" ] || make build-db2
}
if build >"$evidence/build.txt" 2>&1 && eval "$environment"; then
  BROKERAGE_TEST_REQUIRE=db2 DB2_EVIDENCE=$(cd "$evidence" && pwd) DB2_PROGRAM=${DB2_PROGRAM-$PWD/bin/brokerage-db2} \
    go test -tags db2 -count=1 -timeout 4h -v -run "${DB2_RUN:-^TestServer\$}" ./internal/store/db2 >"$evidence/tests.txt" 2>&1
  status=$?
  grep -E '^ *--- (FAIL|SKIP)|^(ok|FAIL)|refuse one that holds' "$evidence/tests.txt"
  sed -n '1,/^$/p;/^| question/,/^$/p' "$evidence/README.md" 2>/dev/null
else
  status=1
  cat "$evidence/build.txt"
fi

if [ -n "${DB2_LOGS:-}" ]; then
  find "$DB2_LOGS" -name setup.log -o -name 'db2diag*.log' | while read -r log; do
    tail -n 20000 "$log" >"$evidence/$(basename "$log")"
  done
fi
tar czf "$evidence.tgz" -C "$(dirname "$evidence")" "$(basename "$evidence")"
chown -R --reference=Makefile "$evidence" "$evidence.tgz" 2>/dev/null
echo "trial: please send $evidence.tgz; its README.md says what was confirmed, and no file holds the password"
exit $status
