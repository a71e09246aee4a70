import type { Model, Version } from '../compile/model.ts'
import { movesIn } from '../compile/resources/states.ts'
import { type Document, operationsOf } from './operation-list.ts'
import type { ProblemEntry } from './problem-pages.ts'
import { linksOf } from './relations-diagram.ts'
import { stateMachinesOf } from './states-diagram.ts'
import type { VersionLife } from './versions-page.ts'

// The pages as Markdown, for programs that read (`Accept: text/markdown`). Guides are Markdown to begin with.

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

export const modelText = (version: Version): string =>
  page([
    `# The model of ${version.name}`,
    table(
      ['Resource', 'belongs to', 'as', 'What'],
      linksOf(version).map(({ from, to, name, optional, description }) => [
        from.name,
        to.name,
        `\`${name}\`${optional ? ' (optional)' : ''}`,
        description,
      ]),
    ),
    ...stateMachinesOf(version).flatMap(({ view, field, states }) => [
      `## ${view.name}.${field.name}`,
      field.description,
      [
        `- A new row starts as \`${states.initial}\`.`,
        ...Object.entries(movesIn(states)).map(
          ([from, to]) => `- \`${from}\` can move to ${to.map((one) => `\`${one}\``).join(' or ')}.`,
        ),
      ].join('\n'),
    ]),
  ])

export const versionsText = (lives: readonly VersionLife[]): string =>
  page([
    '# Versions',
    table(
      ['Version', 'Status', 'Published', 'Deprecated', 'Sunset', 'Guide'],
      lives.map(({ version, status, guide }) => [
        version.name,
        status,
        version.published?.date ?? 'none',
        version.deprecated?.date ?? 'none',
        version.sunset?.date ?? 'none',
        guide ? `[guide](${guide})` : '',
      ]),
    ),
  ])

export const problemText = (entry: ProblemEntry): string =>
  page([
    `# ${entry.title}`,
    `${entry.status} \`${entry.type}\``,
    `## What happened\n\n${entry.meaning}`,
    `## How to fix it\n\n${entry.fix}`,
    `## What it looks like\n\n${fenced(JSON.stringify(entry.example, null, 2), 'json')}`,
  ])

export const problemListText = (entries: readonly ProblemEntry[]): string =>
  page([
    '# Problems',
    'A call that is refused answers with `application/problem+json`. Its `type` is the URL of one of these pages.',
    table(
      ['Status', 'What', 'Page'],
      entries
        .toSorted((a, b) => a.status - b.status)
        .map(({ status, title, url }) => [String(status), title, url]),
    ),
  ])
