import type { Model, Version } from '../compile/model.ts'
import { movesIn } from '../compile/resources/states.ts'
import { type Document, operationsOf } from './operation-list.ts'
import type { ProblemEntry } from './problem-entries.ts'
import { linksOf, totalsOf } from './relations-diagram.ts'
import { type StateMachine, stateMachinesOf } from './states-diagram.ts'
import type { VersionLife } from './version-lives.ts'

// What pages say, as Markdown: programs get it as it is (`Accept: text/markdown`), people with pictures beside it. Guides are Markdown to
// begin with.

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n')
const fenced = (text: string, language = ''): string => `\`\`\`${language}\n${text}\n\`\`\``
const page = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

/** The index for programs (llms.txt): every document, with what stands in it. */
export const llmsText = ({ title, declaration, versions }: Model, served: readonly Version[]): string =>
  page([
    `# ${title}`,
    declaration.description ? `> ${declaration.description.replaceAll('\n', ' ')}` : '',
    'Every page below is Markdown when it is asked for with `Accept: text/markdown`.',
    ...served.map((version) =>
      [
        `## ${version.name}`,
        '',
        `- [Reference](/docs/${version.name}): first steps and every operation, with samples`,
        `- [OpenAPI document](/${version.name}/openapi.json): the same for programs`,
        `- [Model](/docs/model/${version.name}): resources, relations and states`,
      ].join('\n'),
    ),
    [
      '## All versions',
      '',
      '- [Versions](/docs/versions): dates, and what to expect',
      ...versions.flatMap(({ name, successor }) =>
        successor
          ? [`- [From ${name} to ${successor.name}](/docs/migrations/${name}-to-${successor.name})`]
          : [],
      ),
      '- [Problems](/problems): every refusal, and how to fix it',
    ].join('\n'),
  ])

export const referenceText = (openapi: object, version: Version): string => {
  const { info, tags } = openapi as Document
  const operations = operationsOf(openapi as Document, version)
  return page([
    `# ${info.title} ${version.name}`,
    info.description,
    `Everything about every operation stands in [the OpenAPI document](/${version.name}/openapi.json).`,
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .flatMap(({ method, path, operation }) => [
          `### ${method} ${path}`,
          operation.summary,
          operation.description,
          ...operation['x-codeSamples'].map(({ lang, source }) =>
            fenced(source, lang === 'Shell' ? 'sh' : 'ts'),
          ),
        ]),
    ]),
  ])
}

export const relationsTable = (version: Version): string =>
  [
    table(
      ['Resource', 'belongs to', 'as', 'What'],
      linksOf(version).map(({ from, to, name, optional, description }) => [
        from.name,
        to.name,
        `\`${name}\`${optional ? ' (optional)' : ''}`,
        description,
      ]),
    ),
    ...totalsOf(version).map(({ from, of }) => `The rows of ${from.name} are totals of ${of.name}.`),
  ].join('\n\n')

export const movesList = ({ states }: StateMachine): string =>
  [
    `- A new row starts as \`${states.initial}\`.`,
    ...Object.entries(movesIn(states)).map(
      ([from, to]) => `- \`${from}\` can move to ${to.map((one) => `\`${one}\``).join(' or ')}.`,
    ),
  ].join('\n')

export const modelText = (version: Version): string =>
  page([
    `# The model of ${version.name}`,
    relationsTable(version),
    ...stateMachinesOf(version).flatMap((machine) => [
      `## ${machine.view.name}.${machine.field.name}`,
      machine.field.description,
      movesList(machine),
    ]),
  ])

export const versionsTable = (lives: readonly VersionLife[]): string =>
  table(
    ['Version', 'Status', 'Published', 'Deprecated', 'Sunset', 'Guide'],
    lives.map(({ version, status, guide, successor }) => [
      status === 'retired' ? version.name : `[${version.name}](/docs/${version.name})`,
      status,
      version.published?.date ?? 'none',
      version.deprecated?.date ?? 'none',
      version.sunset?.date ?? 'none',
      guide ? `[to ${successor?.name}](${guide})` : '',
    ]),
  )

export const whatToExpect = ({ unversioned }: Model): string =>
  [
    '## What to expect',
    '',
    '- A version only grows: new endpoints, new optional fields, new values where a field says that it is open. What is there stays as it is.',
    '- What would break a caller comes in a new version, beside the old one. Both work on the same rows.',
    '- A deprecated version is served for at least six calendar months more. Each of its responses says so, in the headers `Deprecation`, `Sunset` and `Link`.',
    '- After its sunset, and once nobody needs it any more, a version is retired: it answers [410](/problems/version-retired), with the way to its successor.',
    unversioned
      ? `- Paths without a version are served by ${unversioned.name}. Name the version you were built for, and nothing changes under you.`
      : '- Every path names its version.',
  ].join('\n')

export const versionsText = (model: Model, lives: readonly VersionLife[]): string =>
  page(['# Versions', versionsTable(lives), whatToExpect(model)])

export const problemText = (entry: ProblemEntry): string =>
  page([
    `# ${entry.title}`,
    `${entry.status} \`${entry.type}\``,
    `## What happened\n\n${entry.meaning}`,
    `## How to fix it\n\n${entry.fix}`,
    `## What it looks like\n\n${fenced(JSON.stringify(entry.example, null, 2), 'json')}`,
    'Sent as `application/problem+json` (RFC 9457). The `instance` is the id of the request, which also stands in the header `X-Request-Id`: name it when you ask for help.',
  ])

export const problemListText = (entries: readonly ProblemEntry[]): string =>
  page([
    '# Problems',
    'A call that is refused answers with `application/problem+json`. Its `type` is the URL of one of these pages.',
    table(
      ['Status', 'What', 'Type'],
      entries
        .toSorted((a, b) => a.status - b.status)
        .map(({ status, title, url }) => [
          String(status),
          `[${title}](${url})`,
          `\`${url.split('/').at(-1)}\``,
        ]),
    ),
  ])
