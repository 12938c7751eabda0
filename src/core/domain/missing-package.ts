import { UsageError } from './text/usage-error.ts'

/** What is thrown where an optional package cannot be loaded: says how to install it. */
export function missingPackage(name: string, cause: unknown): UsageError {
  const text = `The package ${name} could not be loaded. It is an optional peer dependency: npm install ${name}`
  return new UsageError('package_missing', text, { cause })
}
