/** Set by the build. */
declare const BUILD_VERSION: string | undefined;
declare const BUILD_COMMIT: string | undefined;

/** What `--version` prints; run from the sources there is none. */
export const version = typeof BUILD_VERSION === "string" ? BUILD_VERSION : "v0.0.0-source";
export const commit = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : undefined;
