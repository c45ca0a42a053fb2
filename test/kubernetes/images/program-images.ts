import { lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { ImageArchive } from "./image-archive.ts";
import { addMachinePrograms, addProgram, makeBusyboxFilesystem } from "./root-filesystem.ts";

/** An image that starts a program. */
export interface ProgramImage {
  readonly program: string;
  readonly names: readonly string[];
}

/** The names of a folder's programs: what else is there, such as a note of their versions, is none. */
export function programsIn(folder: string): string[] {
  const executable = (name: string) => {
    const file = statSync(join(folder, name));
    return file.isFile() && (file.mode & 0o111) !== 0;
  };
  return readdirSync(folder).filter(executable);
}

/** Makes images of programs of this machine, beside its shell and tools. All have the same layers: a link stays a link. */
export function makeProgramImages(images: readonly ProgramImage[], work: string, archiveFile: string): void {
  const [base, programs] = [join(work, "base"), join(work, "programs")];
  mkdirSync(base);
  makeBusyboxFilesystem(base);
  addMachinePrograms(base);
  mkdirSync(programs);
  for (const { program } of images) {
    if (lstatSync(program).isSymbolicLink()) symlinkSync(readlinkSync(program), join(programs, basename(program)));
    else addProgram(programs, program, basename(program));
  }
  const archive = new ImageArchive(join(work, "layout"));
  const layers = [archive.addLayer(base), archive.addLayer(programs)];
  for (const { program, names } of images) archive.addImage({ names, layers, entrypoint: [`/${basename(program)}`] });
  archive.write(archiveFile);
}
