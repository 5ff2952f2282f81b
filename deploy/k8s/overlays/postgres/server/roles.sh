#!/bin/sh
# Run by the image when it has made the database cluster, once.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d postgres \
  -v owner_password="$(cat /run/secrets/brokerage/owner-password)" \
  -v service_password="$(cat /run/secrets/brokerage/service-password)" \
  -f /etc/brokerage/roles.sql
