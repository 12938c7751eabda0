import { type ComponentChild, h } from 'preact'
import { decodedPart } from '../../servers/studio/decoded-part.ts'
import type { FamilyMember } from '../../servers/studio/family.ts'
import { lineText } from './format.ts'
import { StatusMark } from './parts.ts'
import { runAddress } from './route.ts'

/** The runs of a family as a tree from its root, with the shown run marked. */
export function FamilyTree({ root, chosen }: { readonly root: FamilyMember; readonly chosen: string }): ComponentChild {
  return h('nav', { class: 'family', 'aria-label': 'Family of runs' }, h('ul', null, h(Member, { one: root, chosen })))
}

function Member({ one, chosen }: { readonly one: FamilyMember; readonly chosen: string }): ComponentChild {
  const { runId, agent, status, prompt = '', questions, members } = one
  const below = members.map((member) => h(Member, { key: member.runId, one: member, chosen }))
  return h('li', null, [
    h('a', { href: runAddress(runId), 'aria-current': runId === chosen ? 'page' : undefined }, [
      h('b', null, agentName(agent)),
      h('span', { class: 'prompt' }, lineText(prompt, 90)),
      questions > 0
        ? h('span', { class: 'status is-waiting' }, questions === 1 ? 'asks you' : `asks you ${questions} things`)
        : h(StatusMark, { status }),
    ]),
    below.length > 0 && h('ul', null, below),
  ])
}

/** Returns a run and every member below it. */
function membersIn(one: FamilyMember): readonly FamilyMember[] {
  return [one, ...one.members.flatMap(membersIn)]
}

/** Returns the members that ask in the part of the tree from a run down. */
export function askingBelow(root: FamilyMember | undefined, runId: string): readonly FamilyMember[] {
  const from = root && membersIn(root).find((one) => one.runId === runId)
  return from === undefined ? [] : membersIn(from).filter(({ questions }) => questions > 0)
}

/** Returns the name of the agent that drives the family of a run. */
export function rootAgent(stored: string): string {
  return decodedPart(stored.split('/', 1)[0] ?? stored)
}

/** Returns the last part of the name under which a member's runs are stored. */
export function agentName(stored: string): string {
  const last = stored.split('/').at(-1) ?? stored
  return lineText(decodedPart(last), 40)
}
