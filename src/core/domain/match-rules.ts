import type { GlobKind } from './text/glob.ts'
import { isRecord, type Json } from './text/json.ts'
import type { PermissionRule, RuleCondition, RuleEffect } from './permission-rule.ts'
import type { Pattern } from './text/linear-match.ts'
import { shellCommands } from './text/shell-commands.ts'
import type { ReadAgain, ShellCommand } from './text/shell-words.ts'

/**
 * What a field of a tool's arguments is to a rule: a command line for a shell, or a path, with a function that gives the
 * path as the tool resolves it, from the tool's root, with `/` between names.
 */
export type RuleField = 'command' | ((path: string) => string | Promise<string>)

/** What a tool says of its arguments to those who match rules. */
export type RuleFields = { readonly [field: string]: RuleField }

/** A call as rules see it. */
export interface MatchedCall {
  readonly toolName: string
  readonly arguments: Json
  readonly fields?: RuleFields
}

/** What the rules say of a call: by which rule, and why where it is another reason than the rule itself. */
export interface RuleAnswer {
  readonly effect: RuleEffect
  readonly rule: PermissionRule
  /** True if the rule may be about the call and nobody can tell: a person is asked. */
  readonly isUnclear?: boolean
  /** The texts of all rules that ask, if this is their question. An answer to one of them is no answer to another. */
  readonly asking?: readonly string[]
  /** True if the rules are about some commands of a line and not about others, for which the tool's needs count. */
  readonly isPartial?: boolean
}

/** Most values of one argument that are looked at; a call with more is unclear. */
const mostValues = 1_000

/** Most work on one field by one condition: the characters of its values times the places of the pattern. */
const mostWork = 2_000_000

/**
 * What rules say of a call: deny before allow before ask, and of rules that say the same the more specific one. A command
 * line is looked at command by command: all of them must be allowed, and one is enough to deny or ask. Undefined where no
 * rule is about the call.
 */
export async function matchRules(rules: readonly PermissionRule[], call: MatchedCall): Promise<RuleAnswer | undefined> {
  const about = rules.filter((rule) => rule.isAbout(call.toolName)).toSorted((left, right) => right.rank - left.rank)
  if (about.length === 0) return undefined
  const values = new CallValues(call)
  const looked = new Set(about.flatMap(({ conditions }) => conditions.map(({ field }) => field.join('.'))))
  const commands = await values.commandsOf([...looked])
  const answers: (RuleAnswer | undefined)[] = []
  for (const command of commands) answers.push(await answerOf(about, values, command))
  const denied = answers.find((answer) => answer?.effect === 'deny')
  if (denied !== undefined) return denied
  const asked = answers.filter((answer) => answer?.effect === 'ask')
  const named = asked.find((answer) => answer?.isUnclear === true) ?? asked[0]
  if (named === undefined) return answers.includes(undefined) ? undefined : answers[0]
  const asking = [...new Set(asked.flatMap((answer) => answer?.asking ?? []))]
  return { ...named, asking, ...(answers.includes(undefined) ? { isPartial: true } : {}) }
}

/** Whether a rule is about a call; undefined where nobody can tell. */
type Match = boolean | undefined

async function answerOf(
  rules: readonly PermissionRule[],
  values: CallValues,
  command: CommandAt | undefined,
): Promise<RuleAnswer | undefined> {
  const found: { readonly rule: PermissionRule; readonly match: Match }[] = []
  for (const rule of rules) found.push({ rule, match: await matchOf(rule, values, command) })
  const clear = (effect: RuleEffect): RuleAnswer | undefined => {
    const fitting = found.flatMap(({ rule, match }) => (match === true && rule.effect === effect ? [rule] : []))
    const asking = effect === 'ask' ? { asking: fitting.map(({ text }) => text) } : {}
    return fitting[0] && { effect, rule: fitting[0], ...asking }
  }
  // What may have to be refused, or may be all that is allowed, is for a person to look at.
  const unclear = (...effects: readonly RuleEffect[]): RuleAnswer | undefined => {
    const rule = found.find((one) => one.match === undefined && effects.includes(one.rule.effect))?.rule
    return rule && { effect: 'ask', rule, isUnclear: true, asking: [rule.text] }
  }
  const certain = unclear('deny') ?? clear('allow') ?? unclear('ask') ?? clear('ask') ?? unclear('allow')
  return clear('deny') ?? certain
}

async function matchOf(
  { effect, conditions }: PermissionRule,
  values: CallValues,
  command: CommandAt | undefined,
): Promise<Match> {
  let isUnclear = false
  for (const condition of conditions) {
    const match = await values.once(condition, command, () => holds(condition, effect === 'allow', values, command))
    if (match === false) return false
    isUnclear ||= match === undefined
  }
  return isUnclear ? undefined : true
}

/** Every value of a field has to hold where a rule allows, and one is enough elsewhere; a missing one never holds. */
async function holds(
  condition: RuleCondition,
  isAllowing: boolean,
  values: CallValues,
  command: CommandAt | undefined,
): Promise<Match> {
  const found = await values.at(condition.field, command)
  if (found === undefined) return undefined
  if (found.length === 0) return false
  let work = 0
  let isUnclear = false
  for (const value of found) {
    if (value !== 'missing')
      work += value.chars * (value.readAgain === undefined ? condition.places : condition.line.places)
    if (work > mostWork) return undefined
    const match = valueMatch(condition, isAllowing, value)
    if (match === !isAllowing) return match
    isUnclear ||= match === undefined
  }
  return isUnclear ? undefined : isAllowing
}

function valueMatch({ isNegated, fits, line }: RuleCondition, isAllowing: boolean, value: FoundValue): Match {
  if (value === 'missing') return false
  const matches = value.texts.map((text) => fits(text, value.kind))
  const [first = false] = matches
  if (isNegated) return isAllowing ? value.isSure && !matches.includes(true) : !first
  if (isAllowing) return first && value.isSure
  return matches.includes(true) || (value.readAgain !== undefined && mayRun(line, value.readAgain) ? undefined : false)
}

/** Whether a command may run another one that a rule denies or asks about, or be one itself once it is read again. */
function mayRun({ mayFit, mayBegin }: Pattern, { texts, programs, isOpaque }: ReadAgain): boolean {
  return isOpaque || texts.some(mayFit) || programs.some(mayBegin)
}

/** One value of a field. Its first text is the one that counts, the others are names for the same. */
interface FoundText {
  readonly texts: readonly string[]
  /** Characters that are looked at for it: of all its texts, and for a command those of the whole line. */
  readonly chars: number
  readonly kind: GlobKind
  /** False where the tool may take it for something else: no rule allows it then. */
  readonly isSure: boolean
  /** Of a command: its words as they may be read again. */
  readonly readAgain?: ReadAgain
}

type FoundValue = FoundText | 'missing'

/** A command of the line that stands in a field. */
interface CommandAt {
  readonly field: string
  /** Undefined where the line cannot be taken apart. */
  readonly command: ShellCommand | undefined
  /** Characters of all commands of the line, of each by all its names. */
  readonly chars: number
}

/** The values of one call, each read once. */
class CallValues {
  readonly #call: MatchedCall
  readonly #read = new Map<string, readonly FoundValue[] | undefined>()
  readonly #matches = new Map<RuleCondition, Match>()

  constructor(call: MatchedCall) {
    this.#call = call
  }

  /** The commands that are looked at one by one; one without a command where no rule looks at a line. */
  async commandsOf(looked: readonly string[]): Promise<readonly (CommandAt | undefined)[]> {
    const { fields = {}, arguments: given } = this.#call
    for (const field of looked) {
      if (!Object.hasOwn(fields, field) || fields[field] !== 'command') continue
      const [line] = valuesAt(given, field.split('.')) ?? []
      if (typeof line !== 'string') continue
      const commands = shellCommands(line)
      if (commands === undefined || commands.length === 0) return [{ field, command: undefined, chars: 0 }]
      const chars = charsIn(
        commands.flatMap(({ readAgain: { texts, programs }, ...command }) => [
          ...textsOf(command),
          ...texts,
          ...programs,
        ]),
      )
      return commands.map((command) => ({ field, command, chars }))
    }
    return [undefined]
  }

  /** Asks about a condition once, and of a command line once a command. */
  async once(condition: RuleCondition, command: CommandAt | undefined, ask: () => Promise<Match>): Promise<Match> {
    if (command?.field === condition.field.join('.')) return ask()
    if (!this.#matches.has(condition)) this.#matches.set(condition, await ask())
    return this.#matches.get(condition)
  }

  /** Undefined where nobody can tell. */
  async at(field: readonly string[], command: CommandAt | undefined): Promise<readonly FoundValue[] | undefined> {
    const name = field.join('.')
    if (command?.field === name) {
      if (command.command === undefined) return undefined
      const { readAgain } = command.command
      return [{ texts: textsOf(command.command), chars: command.chars, kind: 'text', isSure: true, readAgain }]
    }
    if (!this.#read.has(name)) this.#read.set(name, await this.#valuesOf(field, name))
    return this.#read.get(name)
  }

  async #valuesOf(field: readonly string[], name: string): Promise<readonly FoundValue[] | undefined> {
    const found = valuesAt(this.#call.arguments, field)
    if (found === undefined) return undefined
    const { fields = {} } = this.#call
    const ownField = Object.hasOwn(fields, name) ? fields[name] : undefined
    // Of a line that was not taken apart nobody can tell what it runs.
    if (ownField === 'command' && found.some((value) => typeof value === 'string')) return undefined
    try {
      return await Promise.all(found.map((value) => foundValue(value, ownField)))
    } catch {
      // A path that cannot be resolved is for a person to look at.
      return undefined
    }
  }
}

function textsOf({ text, otherTexts }: Pick<ShellCommand, 'text' | 'otherTexts'>): readonly string[] {
  return [text, ...otherTexts]
}

function charsIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

async function foundValue(value: Json | undefined, field: RuleField | undefined): Promise<FoundValue> {
  if (value === undefined || (typeof value === 'object' && value !== null)) return 'missing'
  const text = String(value)
  if (typeof field === 'function') {
    const resolved = await field(text)
    return pathValue([resolved, ...(resolved === text ? [] : [plainPath(text), text])], true)
  }
  const plain = plainPath(text)
  // Of another tool nobody knows where its paths begin, nor whether it follows a link before it goes up.
  return pathValue(plain === text ? [text] : [plain, text], !/(?:^|\/)\.\.(?:\/|$)/.test(text))
}

function pathValue(texts: readonly string[], isSure: boolean): FoundText {
  return { texts, chars: charsIn(texts), kind: 'path', isSure }
}

/** A path without `.`, `..` and empty names, as far as that can be told from the text; an address keeps its beginning. */
export function plainPath(path: string): string {
  const start = /^[a-z][a-z0-9+.-]*:\/\//i.exec(path)?.[0] ?? (path.startsWith('/') ? '/' : '')
  const names: string[] = []
  for (const name of path.slice(start.length).split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop()
    else if (name !== '..' || start === '') names.push(name)
  }
  return start + names.join('/') || '.'
}

/** The values under a field; of a list, those of each of its items. Undefined where there are too many to look at. */
function valuesAt(value: Json | undefined, field: readonly string[]): readonly (Json | undefined)[] | undefined {
  let open: readonly (Json | undefined)[] = items(value)
  for (const key of field) {
    open = open.flatMap((one) => items(isRecord(one) && Object.hasOwn(one, key) ? one[key] : undefined))
    if (open.length > mostValues) return undefined
  }
  return open
}

function items(value: Json | undefined): readonly (Json | undefined)[] {
  if (!Array.isArray(value)) return [value]
  return value.length > mostValues ? tooMany : value.flatMap((one: Json) => items(one))
}

/** What stands for values of which there are too many. */
const tooMany: readonly undefined[] = Array.from({ length: mostValues + 1 }, () => undefined)
