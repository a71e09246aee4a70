import type { Model, Version, View } from '../../compile/model.ts'
import { exampleShown } from '../example.ts'
import { exampleOfCreate } from './examples.ts'
import { bodyText, literal, memberName } from './samples.ts'

/**
 * What a consumer needs first, with calls of this version that run as they are: the address, the key, a first call, related rows, filters, pages,
 * and creating something once. Empty where no resource can be listed. Lines are short, so that they can be read on a telephone.
 */
export const firstSteps = (version: Version, model: Model): string => {
  const views = [...version.views.values()].filter(
    (view) => view.topLevel && view.methods.has('GET') && view.serves === 'rows',
  )
  const view = views.toSorted((a, b) => richness(b) - richness(a))[0]
  if (!view) return ''
  return [
    `## First steps`,
    'In a shell, `$API` is the address of this service and `$KEY` your key. In TypeScript, the typed client knows every name of the API:',
    fenced('ts', version === model.head ? typedClient(model) : generatedClient(model)),
    version === model.head
      ? `Whoever has the declaration can make one file with the same client for those who do not: \`npx nounkit client ${version.name} > ${model.name}.ts\`. A first call:`
      : `Whoever has the declaration makes that file: \`npx nounkit client ${version.name} > ${model.name}.ts\`. A first call:`,
    ...both(listCurl(view), listTyped(view, [])),
    ...related(view),
    ...filtered(view),
    '**The next page.** `page.next_cursor` is sent as `cursor`. The client fetches pages as it goes.',
    ...both(
      listCurl(view, 'limit=50', 'cursor=…'),
      `const rows = api.${memberName(view.name)}.list({ limit: 50 })\nfor await (const row of rows)\n  console.log(row.id)`,
    ),
    ...created(view),
  ].join('\n\n')
}

const importLine = (what: string, file: string): string => `import ${what} from '${file}'`

const typedClient = ({ name }: Model): string => {
  const type = memberName(name)
  const imports = [
    importLine('{ client, isProblem }', 'nounkit/client'),
    importLine(`type ${type}`, './api.ts'),
  ]
  return `${imports.join('\n')}\n\nconst api = client<typeof ${type}>({\n  url: API,\n  key: KEY,\n})`
}

const generatedClient = ({ name }: Model): string =>
  `${importLine('{ client, isProblem }', `./${name}.ts`)}\n\nconst api = client({ url: API, key: KEY })`

/** The resource that shows most is the one to begin with. */
const richness = (view: View): number =>
  (view.includePaths.length > 0 ? 4 : 0) + (view.filters.size > 0 ? 2 : 0) + (sampleOf(view) ? 8 : 0)

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const both = (curl: string, typed: string): readonly string[] => [fenced('sh', curl), fenced('ts', typed)]

/** With a line for each parameter: `-G` appends them to the URL. */
const listCurl = ({ version, name }: View, ...parameters: readonly string[]): string =>
  [
    `curl ${parameters.length === 0 ? '' : '-G '}"$API/${version.name}/${name}"`,
    '-H "Authorization: Bearer $KEY"',
    ...parameters.map((one) => `-d '${one}'`),
  ].join(' \\\n  ')
const listTyped = ({ name }: View, options: readonly string[]): string =>
  `const { data } = await api.${memberName(name)}.list(${options.length === 0 ? '' : `{\n${options.map((option) => `  ${option},\n`).join('')}}`})`

const related = (view: View): readonly string[] => {
  const paths = view.includePaths.slice(0, 2)
  if (paths.length === 0) return []
  return [
    '**Related rows** come along when they are named, several joined with commas.',
    ...both(
      listCurl(view, `include=${paths.join()}`),
      listTyped(view, [`include: [${paths.map((path) => `'${path}'`).join(', ')}]`]),
    ),
  ]
}

const filtered = (view: View): readonly string[] => {
  const field = [...view.filters].flatMap((name) => view.field.get(name) ?? [])[0]
  if (!field) return []
  const value = exampleShown(field, view)
  return [
    '**Some rows.** Filters hold together; `-` turns the order round.',
    ...both(
      listCurl(view, `filter[${field.name}]=${readableValue(value)}`, 'sort=-id'),
      listTyped(view, [`filter: { ${field.name}: ${literal(value)} }`, `sort: ['-id']`]),
    ),
  ]
}

/** A value in a query, with the characters that need no escape there and are easier to read without. */
const readableValue = (value: unknown): string =>
  encodeURIComponent(String(value)).replaceAll("'", '%27').replaceAll('%40', '@').replaceAll('%3A', ':')

/** What must be sent to create a row; undefined where that refers to another row, which has to be there. */
const sampleOf = (view: View): object | undefined => {
  const needed = view.fields.filter(({ required, readOnly }) => required && !readOnly)
  if (!view.methods.has('POST') || needed.some(({ target }) => target)) return undefined
  const whole = exampleOfCreate(view)
  return whole && Object.fromEntries(needed.map(({ name }) => [name, whole[name]]))
}

const created = (view: View): readonly string[] => {
  const body = sampleOf(view)
  if (!body) return []
  const isKeyed = view.idempotency.mode !== 'off'
  const key = isKeyed ? ' \\\n  -H "Idempotency-Key: $(uuidgen)"' : ''
  return [
    isKeyed
      ? '**Something new, once.** With an `Idempotency-Key`, the same call sent again creates nothing twice. The client sends one with each create, and tries again by itself.'
      : '**Something new.**',
    ...both(
      `curl -X POST "$API/${view.version.name}/${view.name}" \\\n  -H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json"${key} \\\n  -d ${bodyText(body)}`,
      `const made = await api.${memberName(view.name)}.create(${literal(body)})`,
    ),
    '**What goes wrong** is told as a [problem](/problems), whose `type` says which. `errors` names every wrong field at once.',
    fenced(
      'ts',
      `try {\n  await api.${memberName(view.name)}.create(body)\n} catch (error) {\n  if (isProblem(error, 'validation-failed'))\n    console.log(error.errors)\n  else throw error\n}`,
    ),
  ]
}
