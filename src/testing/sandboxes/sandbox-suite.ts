import assert from 'node:assert/strict'
import { having } from '../../core/domain/text/option-shape.ts'
import { boundaryCases } from './sandbox-suite-boundary.ts'
import { onGround, type SandboxCase, type SandboxUnderTest } from './sandbox-suite-fixtures.ts'
import { watched } from '../watchdog.ts'

/**
 * Returns the cases that every sandbox must pass, for any test runner, on a machine with bash. The cases of a boundary
 * are skipped for a sandbox that does not claim to be one. `open` is called before each case.
 */
export function sandboxSuite(
  sandbox: { readonly isBoundary: boolean },
  open: () => Promise<SandboxUnderTest>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  having('a sandbox')(sandbox, { field: 'sandbox', owner: 'sandboxSuite' })
  const { isBoundary } = sandbox
  const cases = [...runningCases, ...boundaryCases].filter(([, holds]) => isBoundary || holds === 'always')
  return cases.map(([name, , run]) => ({
    name,
    run: () =>
      watched(name, async () => {
        const under = await open()
        try {
          assert.equal(under.sandbox.isBoundary, isBoundary)
          await onGround(under.sandbox, run)
        } finally {
          await under.dispose()
        }
      }),
  }))
}

const runningCases: readonly SandboxCase[] = [
  [
    'can be used, by its own word',
    'always',
    async ({ sandbox }) => {
      assert.equal(await sandbox.check(), undefined)
      assert.notEqual(sandbox.name, '')
    },
  ],
  [
    'keeps the two streams apart and gives the exit code',
    'always',
    async ({ run }) => {
      assert.deepEqual(await run('echo out; echo err >&2; exit 7'), { code: 7, out: 'out\n', err: 'err\n' })
    },
  ],
  [
    'gives the command to bash as it is',
    'always',
    async ({ run }) => {
      const { out } = await run(`a=("x y" '$z' "\\""); printf '%s|' "\${a[@]}"; [[ $0 == bash ]] && echo $#`)
      assert.equal(out, 'x y|$z|"|0\n')
    },
  ],
  [
    'starts in the folder asked for, under its own path',
    'always',
    async ({ run, root }) => {
      await run('mkdir -p "in ner/deep"')
      const { out } = await run('pwd', { folder: 'in ner/deep' })
      assert.equal(out, `${root}/in ner/deep\n`)
    },
  ],
  [
    'passes on the environment it is given and no other',
    'always',
    async ({ run }) => {
      const { out } = await run('echo "$GIVEN"; env | cut -d= -f1 | sort | tr "\\n" " "', {
        variables: { GIVEN: 'a "b" $c' },
      })
      const [given, names = ''] = out.split('\n')
      assert.equal(given, 'a "b" $c')
      assert.deepEqual(
        names
          .trim()
          .split(' ')
          .filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)),
        ['GIVEN', 'PATH'],
      )
    },
  ],
  [
    'lets the command write in its root, for all to see',
    'always',
    async ({ run }) => {
      await run('echo one > file; mkdir folder; mv file folder/')
      assert.equal((await run('cat folder/file')).out, 'one\n')
    },
  ],
  [
    'gives whole output, also a lot of it',
    'always',
    async ({ run }) => {
      assert.equal((await run('head -c 3000000 /dev/zero | tr "\\0" x')).out.length, 3_000_000)
    },
  ],
  [
    'ends with its command, whatever that left in the background',
    'always',
    async ({ run }) => {
      assert.equal((await run('sleep 60 & echo done')).out, 'done\n')
    },
  ],
  [
    'ends when its process group is killed',
    'always',
    async ({ kill }) => {
      await kill('trap "" TERM INT HUP; echo started; sleep 60; echo still')
    },
  ],
]
