import { rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

// A file that was renamed must not stay behind in the package.
rmSync('dist', { recursive: true, force: true })
const { status, error } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (error !== undefined) console.error(error.message)
process.exitCode = status ?? 1
