import type { Store } from '../../../index.ts'
import type { Person } from '../terminal/person.ts'
import { noShell, problemOfSandbox } from './choose-shell.ts'
import { agentName, homeOf } from './places.ts'

/** The sandboxes that a stored conversation may hand on: a weaker one has to be named each time. */
const handedOn = ['bubblewrap', noShell]

/** The maximum number of runs that are looked at for an earlier answer. */
const mostLooked = 50

/**
 * Asks whether a new conversation may run commands in a sandbox, and returns the name of the sandbox. Each run keeps
 * the answer as a label, so the question is asked once per folder. It is not asked if the sandbox does not work here.
 * Leaving the question, or beginning to type something else, is a no for this conversation.
 */
export async function offerShell(store: Store, root: string, person: Person): Promise<string | undefined> {
  if ((await problemOfSandbox('bubblewrap')) !== undefined) return undefined
  for (const run of await store.list({ agent: agentName, limit: mostLooked })) {
    const home = 'damaged' in run ? undefined : await homeOf(store, run)
    if (home?.root === root && home.shell !== undefined && handedOn.includes(home.shell)) return home.shell
  }
  const shell = await ask(person)
  person.leave()
  return shell
}

async function ask(person: Person): Promise<string | undefined> {
  for (;;) {
    const key = await person.key('May the model run commands in a sandbox? [y/n/?] yes, no, help: ')
    if (key === 'y') return 'bubblewrap'
    if (key === 'n') return noShell
    if (key === undefined) return undefined
    if (key !== '' && key !== '?') {
      person.giveBack()
      return undefined
    }
    person.print(help)
  }
}

const help = `  y  yes: the model may ask to run commands, and you approve each one. It can
     write in this folder, read system folders, and has no network.
  n  no: the model works with files alone.
  The answer is kept for this folder. --shell bubblewrap or none changes it.`
