/** Set by the build. */
declare const BUILD_VERSION: string | undefined;
declare const BUILD_COMMIT: string | undefined;

const commit = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : undefined;

/** What `--version` prints, and the commit; run from the sources there is none. */
export const buildVersion: { readonly version: string; readonly commit?: string } = {
  version: typeof BUILD_VERSION === "string" ? BUILD_VERSION : "v0.0.0-source",
  ...(commit && { commit }),
};
