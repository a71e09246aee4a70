import type { Contract, ContractField, ContractResource } from '../../compile/contract-format.ts'
import { isEngineProblem } from '../../problems.ts'
import { patchType, quotedMember, sentType, typeOf, union } from './schema-type.ts'

type Fields = readonly (readonly [string, ContractField])[]
type Request = NonNullable<ContractField['request']>

/** All that a client knows of a version, as a TypeScript interface called `Shape`. */
export function shapeText(contract: Contract): string {
  const resources = Object.entries(contract.resources).map(([name, resource]) =>
    block(quotedMember(name), resourceLines(name, resource, contract), resource.description),
  )
  const events = contract.events?.types.map((type) => type.replace(/\.\w+$/, '')) ?? []
  return [
    'export interface Shape {',
    `  version: ${JSON.stringify(contract.version)}`,
    ...indented(block('resources', resources.flat())),
    `  events: ${names(events)}`,
    `  problems: ${names(declaredProblems(contract))}`,
    '}',
  ].join('\n')
}

const resourceLines = (name: string, resource: ContractResource, contract: Contract): readonly string[] => {
  const fields: Fields = Object.entries(resource.fields)
  const operations = Object.entries(contract.paths).filter(([, methods]) =>
    Object.values(methods).some((one) => one.resource === name),
  )
  const methods = new Set(operations.flatMap(([, one]) => Object.keys(one)))
  const takes = (parameter: string) =>
    operations.some(([, { GET: read }]) => read?.parameters.includes(parameter))
  const sent = (method: string, linesOf: (field: Fields[number]) => readonly string[]) =>
    methods.has(method) ? fields.flatMap(linesOf) : []
  return [
    ...block(
      'row',
      fields.flatMap((field) => shownLines(field, resource.totals?.by)),
    ),
    ...block('create', sent('POST', createdLines)),
    ...block('replace', sent('PUT', replacedLines)),
    ...block('patch', sent('PATCH', patchedLines)),
    ...block('filter', filterLines(resource, contract)),
    `either: ${takes('filter[or]')}`,
    `sort: ${names(resource.sorts)}`,
    `by: ${names(resource.totals?.by ?? [])}`,
    `search: ${resource.search !== undefined}`,
    `count: ${takes('count')}`,
    `bulk: ${resource.bulk === true}`,
    `include: ${names(resource.include)}`,
    ...block('relations', relationLines(resource, contract)),
    `methods: ${names(calledMethods(methods, operations, resource).sort())}`,
    // The collection of events has its own type.
    `top: ${name !== 'events' && contract.paths[`/${name}`] !== undefined}`,
  ]
}

/** Where GET is offered for rows alone, or for the collection alone, it is told apart. */
const calledMethods = (
  methods: ReadonlySet<string>,
  operations: readonly (readonly [string, Contract['paths'][string]])[],
  { totals }: ContractResource,
): string[] => {
  const read = operations.flatMap(([path, { GET }]) => (GET ? [path] : []))
  const rows = read.filter((path) => path.endsWith('}'))
  const isBoth = rows.length > 0 && rows.length < read.length
  if (totals || isBoth) return [...methods]
  const reads = rows.length > 0 ? 'one' : 'list'
  return [...methods].map((method) => (method === 'GET' ? reads : method))
}

/** A caller who lacks the scope of a group is refused, so an answer always has the groups that were asked for. */
const shownLines = ([name, field]: Fields[number], by: readonly string[] = []): readonly string[] => {
  const { response, needs_scopes: scopes } = field
  if (!response) return []
  const type = union([
    typeOf(response.schema),
    ...(response.open ? ['(string & {})'] : []),
    ...(response.nullable ? ['null'] : []),
  ])
  return [
    ...doc(field.description),
    `${quotedMember(name)}${scopes && !by.includes(name) ? '?' : ''}: ${type}`,
  ]
}

const sentLine = (
  name: string,
  field: ContractField,
  isRequired: boolean,
  type: string,
): readonly string[] => [
  ...doc(field.description),
  isRequired ? `${quotedMember(name)}: ${type}` : `${quotedMember(name)}?: ${union([type, 'undefined'])}`,
]

const createdLines = ([name, field]: Fields[number]): readonly string[] => {
  const { request, states } = field
  if (!request) return []
  const type = states ? JSON.stringify(states.initial) : sentType(request.schema)
  const isRequired = request.required && !states
  return sentLine(name, field, isRequired, orNull(type, request.nullable || !isRequired))
}

const replacedLines = ([name, field]: Fields[number]): readonly string[] => {
  const { request, response, states, needs_scopes: scopes } = field
  if (!request) return []
  const isKept = request.immutable || !response || states || scopes
  return sentLine(
    name,
    field,
    request.required && !isKept,
    orNull(sentType(request.schema), takesNull(field, request)),
  )
}

const patchedLines = ([name, field]: Fields[number]): readonly string[] => {
  const { request } = field
  if (!request || request.immutable) return []
  return sentLine(name, field, false, orNull(patchType(request.schema), takesNull(field, request)))
}

/** `null` means unset, or the default where there is one; a state stays. */
const takesNull = ({ states }: ContractField, { nullable, required }: Request): boolean =>
  nullable || states !== undefined || !required

const orNull = (type: string, nullable: boolean): string => (nullable ? union([type, 'null']) : type)

const filterLines = (resource: ContractResource, contract: Contract): readonly string[] =>
  Object.entries(resource.filters).flatMap(([name, operators]) => {
    // Totals have the filters of the rows that they count.
    const rows = contract.resources[resource.totals?.of ?? ''] ?? resource
    const { response, nullable } = filteredBy(rows, name.split('.'), contract)
    if (!response) return []
    const isTime = response.schema.format === 'date-time'
    const value = union([typeOf(response.schema), ...(isTime ? ['Date'] : []), ...(nullable ? ['null'] : [])])
    return [
      `${quotedMember(name)}?: ${operators.includes('gt') ? 'Ordered' : 'Choice'}<${value}> | undefined`,
    ]
  })

/** The field that a filter leads to. A reference on the way that may be unset leaves it unset, too. */
const filteredBy = (
  { fields, relations }: ContractResource,
  [name = '', ...rest]: readonly string[],
  contract: Contract,
): { readonly response?: ContractField['response']; readonly nullable: boolean } => {
  const { response } = fields[name] ?? {}
  if (rest.length === 0) return { response, nullable: response?.nullable ?? false }
  const target = contract.resources[relations[name]?.resource ?? '']
  if (!target) return { nullable: false }
  const { response: at, nullable } = filteredBy(target, rest, contract)
  return { response: at, nullable: nullable || (fields[`${name}_id`]?.response?.nullable ?? false) }
}

const relationLines = ({ relations, fields }: ContractResource, contract: Contract): readonly string[] =>
  Object.entries(relations).map(([name, { kind, resource, by, through, unchecked = false }]) => {
    // Where the reference itself is not shown, it may be unset.
    const mayBeNull =
      unchecked || fields[`${name}_id`]?.response?.nullable !== false || hidesRows(contract, resource)
    const many = through === undefined ? 'many' : 'many through'
    const written = kind === 'to-many' ? many : mayBeNull ? 'one or null' : 'one'
    return `${quotedMember(name)}: { kind: '${written}'; to: ${JSON.stringify(resource)}; by: ${names(by ? [by] : [])} }`
  })

/** A row that a rule hides from the caller is shown as `null`. */
const hidesRows = (contract: Contract, resource: string): boolean =>
  contract.resources[resource]?.row_rules?.read !== undefined

const declaredProblems = ({ paths }: Contract): readonly string[] => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const types = operations.flatMap(({ problems }) => Object.values(problems).flat())
  return [...new Set(types)].filter((type) => !isEngineProblem(type)).sort()
}

const names = (all: readonly string[]): string =>
  all.length === 0 ? 'never' : union(all.map((name) => JSON.stringify(name)))

const block = (name: string, lines: readonly string[], description?: string): readonly string[] =>
  lines.length === 0 ? [`${name}: {}`] : [...doc(description), `${name}: {`, ...indented(lines), '}']

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

const doc = (text: string | undefined): readonly string[] =>
  text ? [`/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */`] : []
