import type { ToolType } from '../domain/event.ts'
import type { InputOf, OutputOf } from '../ports/schema.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'

/** The compile-time type of a tool. Tools of a toolset, and of an agent created without tools, may have any name. */
export type ToolTypeOf<Item extends Tool | Toolset> = [Item] extends [never]
  ? ToolType
  : Item extends Tool
    ? ToolType<Item['name'], InputOf<Item['input']>, OutputOf<NonNullable<Item['output']>>>
    : ToolType
