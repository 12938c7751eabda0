/** One room: its files, the rooms that it may import, and the packages that it may use. */
export interface Room {
  readonly name: string
  /** A folder ending in `/`, or one file. */
  readonly path: string
  /** Rooms that it may import. */
  readonly rooms: readonly string[]
  /** Single files of other rooms that it may import, each with its reason. */
  readonly files?: readonly string[]
  /** Rooms from which it may import only types. */
  readonly types?: readonly string[]
  /** Packages with the prefix of the paths that may import them; `node:` means every built-in module. */
  readonly packages?: Readonly<Record<string, string>>
  /** Single files that may load modules named at run time, each with its reason. */
  readonly loads?: readonly string[]
  /** True for rooms outside the product: they may import any package, and modules named at run time. */
  readonly isBeside?: boolean
  /** True if the room may import the package's public subpaths. */
  readonly doors?: boolean
  /** True if its modules may only have `export … from`. */
  readonly reExportsOnly?: boolean
}
