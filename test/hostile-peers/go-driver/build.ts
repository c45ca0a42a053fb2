// Builds the Go driver of the tests from the Go module proxy: `npm run go-driver:build`.
import { buildGoPrograms, type GoProgram } from "../../go-program.ts";

export const goDriver: GoProgram = { folder: import.meta.dirname, name: "go-driver", cache: "go-driver" };

if (import.meta.main) buildGoPrograms([goDriver]);
