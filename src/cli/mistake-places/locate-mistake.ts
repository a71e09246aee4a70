import type { AnyNode, ArrayExpression, ObjectExpression } from 'acorn'
import type { Mistake } from '../../compile/mistakes.ts'
import * as changes from '../../declare/change.ts'
import { innerOf, parseSource, partsOf, wordIn } from './parse-source.ts'

/** The place of a mistake in the project's files. */
export interface SourcePlace {
  readonly file: string
  /** The offset in the file's text. */
  readonly at: number
}

/** A part of a file. */
interface Extent {
  readonly file: string
  readonly node: AnyNode
}

/** How many names are followed from one constant to the next. */
const hopsMost = 10

/**
 * Where a mistake was written. A mistake names a path through the declaration, such as `orders.fields.total`. The path is looked up in
 * the text of the project's files: the call that declares `orders`, in it the property `fields`, in that `total`. Constants are
 * followed by their names, into other files too. The place is that of the part that was found last.
 */
export function locateMistake(
  { where, what }: Pick<Mistake, 'where' | 'what'>,
  files: ReadonlyMap<string, string>,
  main: string,
): SourcePlace | null {
  const sources = new Sources(files)
  const path = where.split(' ', 1)[0]?.match(/\[\d+\]|[^.[\]]+/g) ?? []
  const start = sources.start(path, main)
  if (!start) return null
  let { extent } = start
  for (const name of path.slice(start.used)) {
    const inner = sources.descend(extent, name)
    if (!inner) break
    extent = inner
  }
  const node = wordOf(what, extent.node) ?? extent.node
  return { file: extent.file, at: node.start }
}

/** Calls whose first argument names a resource that is declared elsewhere. */
const mentions = new Set([...Object.keys(changes), 'belongsTo', 'hasMany', 'sum', 'api'])

class Sources {
  readonly #files: readonly Extent[]

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = [...files].flatMap(([file, text]) => {
      const node = parseSource(text)
      return node ? [{ file, node }] : []
    })
  }

  /** The call in which the path begins, and how many names of the path it stands for. */
  start(path: readonly string[], main: string): { readonly extent: Extent; readonly used: number } | null {
    const [first = '', second = ''] = path
    const version = first === 'versions' ? second : first
    const named =
      this.#call((callee, name) => callee === 'resource' && name === first) ??
      this.#call((callee, name) => callee === 'version' && name === version) ??
      this.#call((callee, name) => !mentions.has(callee) && name === first)
    if (named) return { extent: named, used: first === 'versions' ? 2 : 1 }
    const inMain = this.#files.filter(({ file }) => file === main)
    const whole = this.#call((callee) => callee === 'api', inMain) ?? inMain[0]
    return whole ? { extent: whole, used: 0 } : null
  }

  /** `callee('name', …)` */
  #call(fits: (callee: string, name: string) => boolean, within = this.#files): Extent | null {
    return this.#first(
      within,
      (node) =>
        node.type === 'CallExpression' &&
        node.callee.type === 'Identifier' &&
        node.arguments[0]?.type === 'Literal' &&
        fits(node.callee.name, String(node.arguments[0].value)),
    )
  }

  #first(within: readonly Extent[], fits: (node: AnyNode) => boolean): Extent | null {
    for (const { file, node } of within)
      for (const part of partsOf(node)) if (fits(part)) return { file, node: part }
    return null
  }

  /** The property or element of that name in the first object or list of the extent. */
  descend({ file, node }: Extent, name: string, hops = hopsMost): Extent | null {
    if (hops < 0) return null
    const index = /^\[(\d+)\]$/.exec(name)?.[1]
    const found = containerIn(node, index === undefined ? 'ObjectExpression' : 'ArrayExpression')
    if (found === null) {
      const constant = this.#constantOf({ file, node: node.type === 'Property' ? node.value : node })
      return constant && this.descend(constant, name, hops - 1)
    }
    if (found.type === 'ArrayExpression') {
      const element = found.elements[Number(index)]
      return element ? (this.#constantOf({ file, node: element }) ?? { file, node: element }) : null
    }
    const own = found.properties.find((part) => part.type === 'Property' && wordIn(part.key) === name)
    if (own) return { file, node: own }
    for (const part of found.properties) {
      const constant = part.type === 'SpreadElement' && this.#constantOf({ file, node: part.argument })
      const inner = constant && this.descend(constant, name, hops - 1)
      if (inner) return inner
    }
    return null
  }

  /** The constant that an extent names: in the same file, else in another. */
  #constantOf({ file, node }: Extent): Extent | null {
    if (node.type !== 'Identifier') return null
    const sameFirst = this.#files.toSorted((a, b) => Number(b.file === file) - Number(a.file === file))
    return this.#first(
      sameFirst,
      (part) => part.type === 'VariableDeclarator' && wordIn(part.id) === node.name,
    )
  }
}

/** The first object or list of a part. Those of the other kind are passed over. */
function containerIn(
  node: AnyNode,
  kind: 'ObjectExpression' | 'ArrayExpression',
): ObjectExpression | ArrayExpression | null {
  if (node.type === 'ObjectExpression' || node.type === 'ArrayExpression')
    return node.type === kind ? node : null
  for (const inner of innerOf(node)) {
    const found = containerIn(inner, kind)
    if (found) return found
  }
  return null
}

/**
 * The first word that the sentence has in quotation marks and that stands in the part. Of `its default "0"`, it is the first "0" after
 * `default`, where that stands there too.
 */
function wordOf(what: string, node: AnyNode): AnyNode | null {
  const parts = [...partsOf(node)]
  for (const [, before = '', word = ''] of what.matchAll(/(?:(\w+) )?"([^"]+)"/g)) {
    const option = parts.findIndex((part) => wordIn(part) === before)
    const after = option < 0 ? undefined : parts.slice(option).find((part) => wordIn(part) === word)
    const found = after ?? parts.find((part) => wordIn(part) === word)
    if (found) return found
  }
  return null
}
