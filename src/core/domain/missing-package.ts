import { UsageError } from './text/usage-error.ts'

/** Returns the error for an optional package that cannot be loaded, with the command that installs it. */
export function missingPackage(name: string, cause: unknown): UsageError {
  const text = `The package ${name} could not be loaded. It is an optional peer dependency: npm install ${name}`
  return new UsageError('package_missing', text, { cause })
}
