import type { Contract } from '../../compile/contract-format.ts'
import { shapeText } from './shape-text.ts'

/** The files of `src/client` that a generated client has within itself, in the order in which they stand there. */
export const clientParts = [
  'api-shape.ts',
  'answered-rows.ts',
  'client-types.ts',
  'problem-members.ts',
  'problem-error.ts',
  'deprecation.ts',
  'query-text.ts',
  'pauses.ts',
  'repeats.ts',
  'sender.ts',
  'follow.ts',
  'verify-webhook.ts',
  'make-client.ts',
] as const

/** One file with the client of a version and all its types. `parts` are the texts of `clientParts`. */
export const clientFile = (contract: Contract, parts: readonly string[]): string =>
  [
    `// The client of ${contract.api} ${contract.version}, made by \`nounkit client\`. Change the API, and make it again; changes here are lost.`,
    '/* eslint-disable */',
    shapeText(contract),
    own(contract),
    ...(contract.events ? [forEvents] : []),
    '// ---- What all clients have in common.',
    ...parts.map(withoutModule),
  ].join('\n\n')

/** The text of a file without its imports, and with exports only where consumers need the name. */
const withoutModule = (text: string): string =>
  text
    .replaceAll(/^(?:import|export)\b[^'\n]*(?:\{[^}]*\})?[^'\n]*from '[^']+'\n/gm, '')
    .replaceAll(
      /^export (?=(?:const|class|function|async|interface|type)\b)/gm,
      (word, at: number, all: string) => (isShown.test(all.slice(at + word.length)) ? word : ''),
    )
    .trim()

const isShown =
  /^(?:class|interface|type) (?:ProblemError|CallError|FieldError|ClientOptions|CallOptions|Deprecation|List|IncludedList|Page|Total)\b/

const own = ({ title, version }: Contract): string => `/** The client of ${title}, ${version}. */
export type Client = ClientOf<Shape>
/** A row with what was included: \`Row<'orders', 'customer'>\`. */
export type Row<Name extends keyof Shape['resources'], Include extends Shape['resources'][Name]['include'] = never> = RowOf<
  Shape,
  Name,
  Include
>
export const client = (options: ClientOptions<Shape['version']>): Client =>
  makeClient({ version: ${JSON.stringify(version)}, ...options }) as Client

/** Whether an error is a problem with this name, as in the reference of problems. */
export function isProblem(error: unknown): error is ProblemError
export function isProblem<Name extends keyof ProblemMembers | Shape['problems']>(
  error: unknown,
  name: Name,
): error is ProblemError<Name>
export function isProblem(error: unknown, name?: string): boolean {
  return isProblemNamed(error, name)
}`

const forEvents = `/** What happened to a row. */
export type Event = EventOf<Shape>

/** The event of a call to a webhook, if the secret signed it within five minutes; else it throws. \`body\` is the body as it came. */
export const verifyWebhook = async (
  secret: string,
  headers: Parameters<typeof verifiedBody>[1],
  body: string | Uint8Array,
): Promise<Event> => JSON.parse(await verifiedBody(secret, headers, body)).data`
