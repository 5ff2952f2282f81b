# The service with the store on Db2, which needs IBM's driver: a C library for glibc on amd64, 120 MB. By unpacking it you accept
# IBM's licence of it, which lies beside it (clidriver/license).
#
#   docker build --platform linux/amd64 -f deploy/docker/Dockerfile.db2 -t brokerage-db2:0.1.0 .

# Both images are of the same Debian, because the program is linked in the first and runs in the second.
ARG GO_IMAGE=docker.io/library/golang:1.26.8-bookworm
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${GO_IMAGE} AS build
# The builder sets it; BuildKit would prefer a default here.
ARG TARGETARCH
RUN test "$TARGETARCH" = amd64 || { echo "IBM's driver exists for amd64 only, not for ${TARGETARCH:-an unnamed processor}" >&2; exit 1; }
# The driver from IBM's Python package, whose archive has a version and a checksum and never changes.
ARG CLIDRIVER_VERSION=3.3.0
ARG CLIDRIVER_SHA256=85c16961dc98e13dbd58209f40e8e99cf383b7b7d8f57038aa84a59e1412ba21
RUN command -v pip >/dev/null && command -v unzip >/dev/null && command -v gcc >/dev/null \
 || { apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev python3-pip unzip && rm -rf /var/lib/apt/lists/*; }
RUN echo "ibm_db==$CLIDRIVER_VERSION --hash=sha256:$CLIDRIVER_SHA256" >/tmp/driver \
 && pip download --no-deps --require-hashes --only-binary :all: --python-version 3.11 --platform manylinux_2_34_x86_64 -d /tmp -r /tmp/driver \
 && unzip -q /tmp/ibm_db-*.whl 'clidriver/*' 'ibm_db.libs/*' -d /opt && rm /tmp/ibm_db-*.whl
WORKDIR /src
ENV CGO_ENABLED=1 GOTOOLCHAIN=local GOFLAGS=-mod=readonly \
    IBM_DB_HOME=/opt/clidriver CGO_CFLAGS=-I/opt/clidriver/include \
    CGO_LDFLAGS="-L/opt/clidriver/lib -Wl,-rpath-link=/opt/ibm_db.libs" LD_LIBRARY_PATH=/opt/clidriver/lib:/opt/ibm_db.libs
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod GOMODCACHE=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOMODCACHE=/go/pkg/mod go build -trimpath -buildvcs=auto -tags db2,timetzdata,nomsgpack -ldflags '-s -w -buildid=' -o /out/brokerage ./cmd/brokerage \
 && mkdir -p /out/data && /out/brokerage version
# Files that only developers need.
RUN rm -rf /opt/clidriver/include /opt/clidriver/bnd

FROM ${BASE_IMAGE}
ARG VERSION=unknown REVISION=unknown CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="brokerage-db2" \
      org.opencontainers.image.description="The TPoX online brokerage over HTTP, with IBM's driver for Db2" \
      org.opencontainers.image.licenses="Apache-2.0 AND LicenseRef-IBM-Data-Server-Driver" \
      org.opencontainers.image.documentation="docs/kubernetes.md" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"
# libpam, libcrypt and libstdc++, which the driver wants, are in every Debian.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /opt/clidriver /opt/clidriver
COPY --from=build /opt/ibm_db.libs /opt/ibm_db.libs
COPY --from=build /out/brokerage /brokerage
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
# The driver writes diagnostics to a folder.
ENV LD_LIBRARY_PATH=/opt/clidriver/lib:/opt/ibm_db.libs \
    DB2DIAGPATH=/tmp \
    BROKERAGE_LISTEN=0.0.0.0:8080 \
    BROKERAGE_DB=sqlite:/data/brokerage.db
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 CMD ["/brokerage", "health"]
ENTRYPOINT ["/brokerage"]
CMD ["serve"]
