import { buildPackage } from './build/build-package.ts'

try {
  await buildPackage('dist')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
