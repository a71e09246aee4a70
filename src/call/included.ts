import type { View, ViewRelation } from '../compile/model.ts'

/** A relation to embed and what to embed below it. */
export interface Included {
  readonly relation: ViewRelation
  readonly children: readonly Included[]
}

/** Whether code answers for the included rows: no statement reads them. */
export const isAnswered = ({ relation }: Included): boolean => relation.relation.target.answered !== null

export interface Include {
  readonly tree: readonly Included[]
  /** Sorted, parents added, no duplicates. */
  readonly paths: readonly string[]
  /** The paths in one text: the cache key, and the form of Content-Location. */
  readonly canonical: string
  /** What is embedded and the shapes of the embedded views, as a short hash for entity tags. */
  readonly tag: string
  /** The views that rows are embedded of, and those of rows that link them. */
  readonly views: readonly View[]
  /** The scopes that decide what a caller is shown of the embedded rows. */
  readonly asks: readonly string[]
}

export const noInclude: Include = Object.freeze({
  tree: [],
  paths: [],
  canonical: '',
  tag: '',
  views: [],
  asks: [],
})

export const viewsIn = (tree: readonly Included[]): readonly View[] =>
  tree.flatMap(({ relation, children }) => [
    relation.target(),
    ...(relation.join ? [relation.join()] : []),
    ...viewsIn(children),
  ])

/** A tree of includes as data: the names of its relations, each with those below. */
export type IncludedNames = readonly (readonly [name: string, below: IncludedNames])[]

export const namesIn = (tree: readonly Included[]): IncludedNames =>
  tree.map(({ relation, children }) => [relation.name, namesIn(children)] as const)

/** The tree that these names make of the relations of a view. */
export const treeOf = (view: View, names: IncludedNames): readonly Included[] =>
  names.map(([name, below]) => {
    const relation = view.relations.get(name)
    if (!relation) throw new Error(`${view.name} has no relation ${name}`)
    return { relation, children: treeOf(relation.target(), below) }
  })
