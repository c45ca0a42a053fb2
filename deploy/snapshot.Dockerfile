# Images of the programs that run once in a cluster, from what `npm run build:all` writes to dist/, the build context:
#   docker buildx build --platform linux/amd64,linux/arm64 -f deploy/snapshot.Dockerfile --target snapshot-controller -t <registry>/snapshot-controller:v0.1.0 dist
ARG BASE=gcr.io/distroless/base-nossl-debian12
FROM ${BASE} AS snapshot-controller
ARG TARGETARCH
COPY linux-${TARGETARCH}/snapshot-controller /
USER 65532:65532
ENTRYPOINT ["/snapshot-controller"]

FROM ${BASE} AS snapshot-webhook
ARG TARGETARCH
COPY linux-${TARGETARCH}/snapshot-webhook /
USER 65532:65532
ENTRYPOINT ["/snapshot-webhook"]
