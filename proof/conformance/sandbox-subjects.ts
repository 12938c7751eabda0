import type { Sandbox } from '../../src/core/ports/sandbox.ts'
import { bubblewrap, unconfined } from '../../src/adapters/tools/shell.ts'

/** Every sandbox of ours, by its name. */
export const sandboxSubjects: Readonly<Record<string, () => Sandbox>> = { unconfined, bubblewrap: () => bubblewrap() }
