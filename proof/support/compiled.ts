const { NODE_COMPILE_CACHE: cache } = process.env

/** The environment in which a process that inherits none finds compiled what an earlier one has loaded. */
export const compiled: Readonly<Record<string, string>> = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
