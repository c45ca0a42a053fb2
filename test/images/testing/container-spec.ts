/** What of a container's OCI specification is looked at here. */
export interface Spec {
  readonly process: { readonly args: readonly string[]; readonly [field: string]: unknown };
  readonly root: { readonly path: string; readonly readonly?: boolean };
  readonly mounts: readonly Mount[];
  readonly linux: { readonly seccomp?: object; readonly [field: string]: unknown };
}

interface Mount {
  readonly type: string;
  readonly source: string;
  readonly destination: string;
  readonly options: readonly string[];
}

export interface ContainerSettings {
  /** Behind the program of the image. */
  readonly args: readonly string[];
  /** Folders and files of the machine by where they are in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** A program before that of the image. */
  readonly interpreter?: string;
  /** Another root than the image's. */
  readonly rootfs?: string;
}

/** A user that no password file knows. */
export const arbitraryUser = 12_345;

/** The specification with a root that cannot be written, an arbitrary user, no capabilities, no new privileges, and a limited set of system calls. */
export function restricted(spec: Spec, rootfs: string, { args, mounts = {}, interpreter }: ContainerSettings): Spec {
  if (!spec.linux.seccomp) throw new Error("containerd has no profile of system calls");
  return {
    ...spec,
    root: { ...spec.root, path: rootfs, readonly: true },
    process: {
      ...spec.process,
      args: [...(interpreter ? [interpreter] : []), ...spec.process.args, ...args],
      user: { uid: arbitraryUser, gid: arbitraryUser },
      capabilities: {},
      noNewPrivileges: true,
    },
    mounts: [
      ...spec.mounts,
      ...Object.entries(mounts).map(([destination, source]) => ({ type: "bind", source, destination, options: ["rbind", "rw"] })),
    ],
  };
}
