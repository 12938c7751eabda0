import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'

/** Runs a file on this Node, made to believe that it is another version. */
function runAs(version: string, file: string) {
  const disguise = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const loader = `data:text/javascript,${encodeURIComponent(disguise)}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', loader, file, 'help'], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('on an old Node', () => {
  test.each(['14.21.3', '20.20.2', '22.12.0'])(
    'the program explains itself on %s before it imports anything',
    (version) => {
      expect(runAs(version, 'bin/statewright.js')).toEqual({
        status: 2,
        stdout: '',
        stderr: `statewright needs Node 22.13 or newer; this is ${version}. Install a newer Node and try again.\n`,
      })
    },
  )

  test.each(['20.20.2', '22.17.1', '23.5.0'])('the scripts of the repository explain themselves on %s', (version) => {
    const { status, stderr } = runAs(version, 'scripts/need-node.js')
    expect(status).toBe(1)
    expect(stderr).toContain(`Node ${version} cannot run the scripts`)
    expect(stderr).toContain('npm ci --ignore-scripts=false')
  })

  test.each(['22.18.0', '23.6.0', '24.0.0'])('the scripts of the repository say nothing on %s', (version) => {
    expect(runAs(version, 'scripts/need-node.js')).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})
