import type { Sandbox } from '../../src/ports/sandbox.ts'
import { bubblewrap, unconfined } from '../../src/tools/shell.ts'

/** Every sandbox of ours, by its name. */
export const sandboxSubjects: Readonly<Record<string, () => Sandbox>> = { unconfined, bubblewrap: () => bubblewrap() }
