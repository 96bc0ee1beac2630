# The service as an image: docs/containers.md describes its use, its size, and what was tried.
FROM debian:trixie-slim AS build
# Names of extras, separated by commas, such as images,live.
ARG EXTRAS=""
# Folders of plugins in this repository, such as ./studio ./telemetry.
ARG PLUGINS=""
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends binutils python3 python3-venv
WORKDIR /source
COPY . .
# Left out: pip, the bytecode of modules that the service never imports, and SQLAlchemy's debugging symbols.
# hadolint ignore=SC2086
RUN python3 -m venv /opt/builder && python3 -m venv --without-pip /opt/portico && \
    /opt/builder/bin/pip --python /opt/portico/bin/python install --no-cache-dir --no-compile ".[$EXTRAS]" $PLUGINS && \
    find /opt/portico/lib -path '*/sqlalchemy/*.so' -exec strip --strip-unneeded {} + && \
    /opt/portico/bin/python -m compileall -q -x '/(mssql|mysql|oracle|sqlite|testing|tests)/' /opt/portico/lib

FROM debian:trixie-slim
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates python3 && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* && \
    useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin portico && \
    install --directory --owner=portico --mode=0700 /data
COPY --from=build /opt/portico /opt/portico
ENV PATH=/opt/portico/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    DATA_DIR=/data
WORKDIR /data
VOLUME /data
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python3", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/health', timeout=4)"]
ENTRYPOINT ["portico"]
CMD ["serve"]
