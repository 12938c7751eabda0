import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SandboxCase } from './sandbox-suite-fixtures.ts'

/** Cases for a sandbox that claims to be a boundary. */
export const boundaryCases: readonly SandboxCase[] = [
  [
    'reads nothing beside its root, by any path or link',
    'boundary',
    async ({ run, root, outside }) => {
      writeFileSync(join(outside, 'secret'), 'SECRET')
      symlinkSync(join(outside, 'secret'), join(root, 'link'))
      symlinkSync(outside, join(root, 'way'))
      const { out, err } = await run(`cat ${outside}/secret ../outside/secret link way/secret; ls ${outside} way/`)
      assert.doesNotMatch(out + err, /SECRET/)
    },
  ],
  [
    'changes nothing beside its root, by any path or link',
    'boundary',
    async ({ run, root, outside }) => {
      writeFileSync(join(outside, 'kept'), 'kept')
      symlinkSync(outside, join(root, 'way'))
      await run(
        `echo x > ${outside}/kept; echo x > way/kept; rm -r ${outside}; touch way/new ../outside/new ../new; mv way/kept .`,
      )
      assert.deepEqual(readdirSync(outside), ['kept'])
      assert.equal(readFileSync(join(outside, 'kept'), 'utf8'), 'kept')
      assert.ok(!existsSync(join(root, '../new')))
    },
  ],
  [
    'hides the home folder and what holds passwords',
    'boundary',
    async ({ run }) => {
      const { out } = await run(`ls -A ${homedir()}; cat /etc/shadow /root/.bashrc /run/* /var/log/*; ls -A /var /run`)
      assert.equal(out, '')
    },
  ],
  [
    'changes nothing of the system',
    'boundary',
    async ({ run }) => {
      const targets = ['/usr/x', '/etc/x', '/bin/x', '/x', '/dev/x', '/proc/sys/kernel/core_pattern', '/sys/x']
      for (const target of targets) {
        const { out } = await run(`{ exec 3>>${target}; } 2>/dev/null && echo opened`)
        assert.equal(out, '', `${target} could be opened for writing`)
      }
    },
  ],
  [
    'reaches no server of this machine',
    'boundary',
    async ({ run }) => {
      let visits = 0
      const server = createServer((socket) => {
        visits++
        socket.end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const address = server.address()
        const port = typeof address === 'object' && address !== null ? address.port : 0
        const { out } = await run(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`)
        assert.deepEqual({ out, visits }, { out: '', visits: 0 })
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
    },
  ],
  [
    'sees and signals no process of others',
    'boundary',
    async ({ run }) => {
      const { out } = await run(`kill -0 ${process.pid} && echo reached; ls /proc | grep -cx ${process.pid}`)
      assert.doesNotMatch(out, /reached/)
      assert.ok(Number((await run('ls /proc | grep -c "^[0-9]"')).out) < 10)
    },
  ],
  [
    'leaves no process behind, not even one that leaves its group and clears its environment',
    'boundary',
    async ({ run, root }) => {
      const beat = 'env -i setsid /bin/bash -c "while true; do date +%N > beat; sleep 0.05; done"'
      await run(`${beat} > /dev/null 2>&1 & until [ -s beat ]; do sleep 0.01; done`)
      await assertSilent(join(root, 'beat'))
    },
  ],
  [
    'leaves no process behind where it is killed',
    'boundary',
    async ({ kill, root }) => {
      await kill(
        'setsid bash -c "while true; do date +%N > beat; sleep 0.05; done" & until [ -s beat ]; do sleep 0.01; done; echo started; wait',
      )
      await assertSilent(join(root, 'beat'))
    },
  ],
  [
    'gives no capability and no way to get one',
    'boundary',
    async ({ run }) => {
      const { out } = await run(
        'grep CapEff /proc/self/status; unshare -Ur true && echo more; mount -t tmpfs none . && echo mounted',
      )
      assert.equal(out, 'CapEff:\t0000000000000000\n')
    },
  ],
  [
    'keeps the hooks and the configuration of git, and hides what the engine stored',
    'boundary',
    async ({ run, root }) => {
      for (const folder of ['.git', '.statewright']) mkdirSync(join(root, folder))
      writeFileSync(join(root, '.git/config'), 'kept')
      writeFileSync(join(root, '.statewright/runs.db'), 'SECRET')
      const { out } = await run(
        'echo x > .git/config; echo x > .git/hooks/pre-commit; mv .git moved; cat .statewright/*',
      )
      assert.equal(out, '')
      assert.equal(readFileSync(join(root, '.git/config'), 'utf8'), 'kept')
      assert.equal(existsSync(join(root, '.git/hooks/pre-commit')), false)
      assert.equal(existsSync(join(root, 'moved')), false)
      assert.deepEqual(readdirSync(join(root, '.statewright')), ['runs.db'])
    },
  ],
  [
    'hands over no open file or folder',
    'boundary',
    async ({ run, root }) => {
      for (const folder of ['.git', '.git/hooks', '.statewright']) mkdirSync(join(root, folder))
      writeFileSync(join(root, '.git/config'), '')
      const { out } = await run('for file in /proc/$$/fd/*; do readlink $file; done')
      assert.deepEqual(
        out.split('\n').filter((target) => target.startsWith('/')),
        ['/dev/null'],
      )
    },
  ],
  [
    'opens nothing to a command by the links an earlier one left behind',
    'boundary',
    async ({ run, root, outside }) => {
      mkdirSync(join(outside, 'hooks'))
      writeFileSync(join(outside, 'config'), 'SECRET')
      writeFileSync(join(outside, 'secret'), 'SECRET')
      const look =
        'cat .git/secret .git/config .git/hooks/* .statewright/*; echo x > .git/new; echo x > .statewright/new'
      const at = (name: string) => join(root, name)
      for (const [target, name] of [
        [outside, '.statewright'],
        [outside, '.git'],
        [join(outside, 'config'), '.git/config'],
        [outside, '.git/hooks'],
        [`${'../'.repeat(7)}oldroot${outside}/made`, '.git/hooks'],
      ] as const) {
        if (name.startsWith('.git/')) mkdirSync(at('.git'))
        symlinkSync(target, at(name))
        assert.doesNotMatch(await outputOf(() => run(look)), /SECRET/)
        for (const made of ['.git', '.statewright']) rmSync(at(made), { recursive: true, force: true })
      }
      assert.deepEqual(readdirSync(outside).toSorted(), ['config', 'hooks', 'secret'])
    },
  ],
]

/** Returns the output of a command; empty if the sandbox refuses to run it. */
async function outputOf(work: () => Promise<{ readonly out: string }>): Promise<string> {
  try {
    return (await work()).out
  } catch {
    return ''
  }
}

/** Checks that no process writes to the file: a living process would write again within a few beats. */
async function assertSilent(file: string): Promise<void> {
  writeFileSync(file, '')
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(readFileSync(file, 'utf8'), '')
}
