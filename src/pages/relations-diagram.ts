import type { BelongsToModel, Version, View, ViewField, ViewRelation } from '../compile/model.ts'
import { serverFields } from '../compile/resources/declared-fields.ts'
import { typeName } from '../kinds/kinds.ts'
import { diagramDefaults, dotString, drawGraph } from './graphviz.ts'
import { escaped, type Markup } from './markup.ts'

/** A box with more fields would be too long to read. */
const maxFields = 12

/** A belongs-to relation of a version, with the name of its has-many counterpart, where there is one. */
export interface Link {
  readonly from: View
  readonly to: View
  readonly name: string
  readonly back: string | null
  readonly optional: boolean
  readonly description: string
}

export const linksOf = (version: Version): readonly Link[] =>
  [...version.views.values()].flatMap((from) =>
    [...from.relations.values()].filter(isBelongsTo).map(({ name, relation, target, description }) => ({
      from,
      to: target(),
      name,
      back: backOf(target(), relation),
      optional: relation.optional,
      description,
    })),
  )

/** Totals, and the resource whose rows each of them counts. */
export const totalsOf = (version: Version): readonly { readonly from: View; readonly of: View }[] =>
  [...version.views.values()].flatMap((from) => (from.totals ? [{ from, of: from.totals.of() }] : []))

type BelongsToRelation = ViewRelation & { readonly relation: BelongsToModel }

const isBelongsTo = (one: ViewRelation): one is BelongsToRelation => one.relation.kind === 'belongs-to'

const backOf = (view: View, relation: BelongsToModel): string | null =>
  [...view.relations.values()].find(
    (one) => one.relation.kind === 'has-many' && one.relation.by === relation && !one.relation.through,
  )?.name ?? null

/** An entity-relationship diagram in crow's foot notation. */
export const relationsDiagram = (version: Version): Promise<Markup> => {
  const views = [...version.views.values()]
  const links = linksOf(version)
  const totals = totalsOf(version)
  const said = [
    ...links.map(({ from, to, name }) => `${from.name} belongs to ${to.name} as ${name}`),
    ...totals.map(({ from, of }) => `${from.name} are totals of ${of.name}`),
  ]
  const dot = `digraph {
nodesep="0.6"; ranksep="0.7"; ${diagramDefaults}
node [shape="plain"]
${views.map((view) => `${dotString(view.name)} [class="${view.resource.shared ? 'box shared' : 'box'}" label=<${boxOf(view)}>]`).join('\n')}
${links.map(lineOf).join('\n')}
${totals.map(lineOfTotals).join('\n')}
}`
  return drawGraph(dot, {
    id: `relations-${version.name}`,
    title: `Resources and relations of ${version.name}`,
    description: `${said.join('; ')}.`,
  })
}

/** Without the fields that every resource has. */
const boxOf = (view: View): string => {
  const fields = view.fields.filter((field) => !serverFields.has(field.name))
  const shown = fields.slice(0, maxFields)
  const more = fields.length - shown.length
  const rows = shown.map((field) => rowOf(field.name, typeOf(field)))
  return `<table border="0" cellborder="0" cellspacing="0" cellpadding="3"><tr><td colspan="2" border="1" sides="B"><b>${escaped(view.name)}</b></td></tr>${rows.join('')}${more > 0 ? rowOf(`and ${more} more`, '') : ''}</table>`.replace(
    'border="0" cellborder="0"',
    'border="1" cellborder="0" style="rounded"',
  )
}

const rowOf = (name: string, type: string): string =>
  `<tr><td align="left">${escaped(name)}</td><td align="left">${escaped(type) || ' '}</td></tr>`

const typeOf = (field: ViewField): string => {
  return `${typeName(field.kind, field.schema)}${field.nullable ? '?' : ''}`
}

/** The edge points from the owner to the resource that belongs to it, so that owners are at the top. */
const lineOf = ({ from, to, name, back, optional }: Link): string => {
  const label = back === null ? name : `${name} / ${back}`
  const ends = `dir="both" arrowhead="crow" arrowtail="${optional ? 'odottee' : 'tee'}"`
  return `${dotString(to.name)} -> ${dotString(from.name)} [class="line quiet" label=${dotString(` ${label} `)} ${ends}]`
}

const lineOfTotals = ({ from, of }: ReturnType<typeof totalsOf>[number]): string =>
  `${dotString(of.name)} -> ${dotString(from.name)} [class="line quiet" style="dashed" dir="none" label=" totals "]`
