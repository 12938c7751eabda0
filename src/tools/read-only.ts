import { constants } from 'node:fs'

/** Flags of `open`: refuses a link put in the file's place meanwhile, and does not hang on a pipe. */
export const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
