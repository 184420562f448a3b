# The emulator as an image, from binaries of this checkout: npm run build:binaries, then docker build -t fh .
ARG TARGETARCH=amd64
FROM scratch AS amd64
COPY binaries/fh-linux-x64 /fh
FROM scratch AS arm64
COPY binaries/fh-linux-arm64 /fh
FROM ${TARGETARCH} AS binary

# The binary is linked against the C library, which this image has; it has no shell.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=binary /fh /usr/local/bin/fh
ENV FH_STATE_DIR=/tmp/fh
EXPOSE 4884
HEALTHCHECK --interval=5s --timeout=3s --start-period=1s --retries=6 \
  CMD ["/usr/local/bin/fh", "emulate", "wait", "http://127.0.0.1:4884", "--timeout", "2s"]
# Other machines control it with a token: docker run -p 4884:4884 -e FH_CONTROL_TOKEN=… fh
ENTRYPOINT ["/usr/local/bin/fh", "emulate", "--host", "0.0.0.0"]
