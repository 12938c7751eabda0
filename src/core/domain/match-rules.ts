import type { GlobKind } from './text/glob.ts'
import { isRecord, type Json } from './text/json.ts'
import type { PermissionRule, RuleCondition, RuleEffect } from './permission-rule.ts'
import type { Pattern } from './text/linear-match.ts'
import { shellCommands } from './text/shell-commands.ts'
import type { ReadAgain, ShellCommand } from './text/shell-words.ts'

/**
 * The meaning of an argument field for rules: a shell's command line, or a path with a function that resolves it as the
 * tool does, relative to the tool's root and with `/` between names.
 */
export type RuleField = 'command' | ((path: string) => string | Promise<string>)

/** A tool's description of its arguments for rules. */
export type RuleFields = { readonly [field: string]: RuleField }

/** A call as rules read it. */
export interface MatchedCall {
  readonly toolName: string
  readonly arguments: Json
  readonly fields?: RuleFields
}

/** The rules' answer for a call, with the deciding rule, and the reason if it is not the rule itself. */
export interface RuleAnswer {
  readonly effect: RuleEffect
  readonly rule: PermissionRule
  /** True if the rule may apply and that cannot be decided, so that a person is asked. */
  readonly isUnclear?: boolean
  /** The texts of all rules that ask this question. An answer to one rule does not answer another. */
  readonly asking?: readonly string[]
  /** True if the rules apply only to some commands of a line, so that the tool's needs apply to the others. */
  readonly isPartial?: boolean
}

/** The maximum number of examined values of one argument; a call with more is unclear. */
const mostValues = 1_000

/** The maximum work of one condition on one field: the characters of its values times the places of the pattern. */
const mostWork = 2_000_000

/**
 * Returns the rules' answer for a call: deny before allow before ask, and the more specific rule first. A command line
 * is checked command by command: all commands must be allowed, and one is enough to deny or ask. Returns undefined if
 * no rule applies to the call.
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

/** The result of matching a rule: true, false, or undefined if that cannot be decided. */
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
  // If a deny rule may apply, or an allow rule only may apply, a person must decide.
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

/** Returns true if a condition holds: every value must fit for an allowing rule; for other rules one is enough. */
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

/** Returns true if a command may run, or be evaluated to, a command that a rule denies or asks about. */
function mayRun({ mayFit, mayBegin }: Pattern, { texts, programs, isOpaque }: ReadAgain): boolean {
  return isOpaque || texts.some(mayFit) || programs.some(mayBegin)
}

/** One value of a field. The first text counts, and the others are alternative names. */
interface FoundText {
  readonly texts: readonly string[]
  /** The number of examined characters: those of all texts, and for a command those of the whole line. */
  readonly chars: number
  readonly kind: GlobKind
  /** False if the tool may interpret it differently, so that no rule allows it. */
  readonly isSure: boolean
  /** For a command: its words after a possible second evaluation. */
  readonly readAgain?: ReadAgain
}

type FoundValue = FoundText | 'missing'

interface CommandAt {
  readonly field: string
  /** Undefined if the line cannot be parsed. */
  readonly command: ShellCommand | undefined
  /** The number of characters of all commands of the line, with all their names. */
  readonly chars: number
}

class CallValues {
  readonly #call: MatchedCall
  readonly #read = new Map<string, readonly FoundValue[] | undefined>()
  readonly #matches = new Map<RuleCondition, Match>()

  constructor(call: MatchedCall) {
    this.#call = call
  }

  /** Returns the commands to check one by one; a single undefined if no rule checks a line. */
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

  /** Evaluates a condition once per call, or once per command for a command line. */
  async once(condition: RuleCondition, command: CommandAt | undefined, ask: () => Promise<Match>): Promise<Match> {
    if (command?.field === condition.field.join('.')) return ask()
    if (!this.#matches.has(condition)) this.#matches.set(condition, await ask())
    return this.#matches.get(condition)
  }

  /** Returns the values of a field, or undefined if they cannot be decided. */
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
    // The effect of an unparsed line is unknown.
    if (ownField === 'command' && found.some((value) => typeof value === 'string')) return undefined
    try {
      return await Promise.all(found.map((value) => foundValue(value, ownField)))
    } catch {
      // A person must decide about a path that cannot be resolved.
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
  // The base of another tool's paths is unknown, and so is whether it resolves links before `..`.
  return pathValue(plain === text ? [text] : [plain, text], !/(?:^|\/)\.\.(?:\/|$)/.test(text))
}

function pathValue(texts: readonly string[], isSure: boolean): FoundText {
  return { texts, chars: charsIn(texts), kind: 'path', isSure }
}

/** Returns a path without `.`, `..` and empty names as far as the text allows; a URL keeps its scheme. */
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

/** Returns the values under a field, including those in each item of a list, or undefined if there are too many. */
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

const tooMany: readonly undefined[] = Array.from({ length: mostValues + 1 }, () => undefined)
