import { type Phase, phaseNames } from '../../../machines/run/run.phases.ts'
import { isRecord } from '../domain/text/json.ts'
import * as is from '../domain/text/option-shape.ts'
import type { Plugin } from '../ports/plugin.ts'

const phases = Object.fromEntries(
  phaseNames.map((phase) => [phase, is.optional(is.callback)]),
) as unknown as is.OptionShape<Pick<Plugin, Phase>>

const plugin: is.OptionCheck = (value) => {
  const owner =
    isRecord(value) && typeof value['name'] === 'string' ? `plugin ${JSON.stringify(value['name'])}` : 'a plugin'
  is.checkOptions<Plugin>(owner, value, { name: is.filledText, ...phases, answerWindow: is.optional(characters) })
  const { onAnswer, answerWindow } = value as Plugin
  if (answerWindow === undefined || onAnswer !== undefined) return
  throw is.badOption({ owner, field: 'answerWindow' }, answerWindow, 'It needs onAnswer, which sees the answer first.')
}

const characters = is.number('a whole number of characters, from 1', (value) => Number.isInteger(value) && value >= 1)

/** Checks the plugins. Errors and conflicts name a plugin, so the names must be unique. */
export const plugins: is.OptionCheck = (value, option) => {
  is.listOf(plugin)(value, option)
  const names = (value as readonly Plugin[]).map(({ name }) => name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice === undefined) return
  throw is.badOption(option, value, `Two of its plugins are named ${JSON.stringify(twice)}. Expected unique names.`)
}
