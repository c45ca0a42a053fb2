# Images for Windows of the programs that `npm run build:all` and `npm run build:example` write to dist/, the build context:
#   docker buildx build --platform windows/amd64 -f deploy/windows.Dockerfile --target csi-sidecars -t <registry>/csi-sidecars:v0.1.0 dist
# A HostProcess container runs on the node and needs nothing of its image but the program. For a container that is isolated from the node
# (deploy/kubernetes/windows/client-server/node.yaml), BASE is a nanoserver image of the node's version.
ARG BASE=mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0
FROM ${BASE} AS csi-sidecars
COPY windows-amd64/csi-sidecars.exe /
ENTRYPOINT ["csi-sidecars.exe"]

FROM ${BASE} AS csi-proxy
COPY windows-amd64/csi-proxy.exe /
ENTRYPOINT ["csi-proxy.exe"]

FROM ${BASE} AS windows-smb-driver
COPY windows-amd64/windows-smb-driver.exe /
ENTRYPOINT ["windows-smb-driver.exe"]
