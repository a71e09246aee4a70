import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Mistake, Mistakes } from '../../compile/mistakes.ts'
import { LoadMistake } from '../command-mistake.ts'
import { stackPosition } from '../stack-position.ts'
import { isUserMistake } from '../user-mistakes.ts'
import { codeFrame, positionAt, type TextPosition } from './code-frame.ts'
import { isOfProject } from './imported-files.ts'
import { locateMistake } from './locate-mistake.ts'
import { missingImport } from './missing-import.ts'

/** The project's files that were imported, and the one of them that exports the API. */
export interface Project {
  readonly files: ReadonlyMap<string, string>
  readonly main: string
}

/** Beyond this many mistakes, the others are listed without their code. */
const framesMost = 10

/** What is wrong with a declaration or its store, with file, line and the code around it where that is known. */
export function errorText(error: unknown, project: Project): string {
  if (error instanceof Mistakes)
    return error.list.map((mistake, index) => mistakeText(mistake, project, index < framesMost)).join('\n\n')
  if (error instanceof LoadMistake) return `${error.message}${loadFrame(error, project)}`
  if (error instanceof Error && isUserMistake(error)) return error.message
  return error instanceof Error ? stackText(error, project) : String(error)
}

function mistakeText(mistake: Mistake, project: Project, isFramed: boolean): string {
  const sentence = `${mistake.where}: ${mistake.what} ${mistake.hint}`
  const place = placeOf(mistake, project)
  if (!place) return `${shown(project.main)}  ${sentence}`
  const frame = isFramed ? `\n${codeFrame(project.files.get(place.file) ?? '', place)}` : ''
  return `${placeText(place.file, place)}  ${sentence}${frame}`
}

function placeOf(
  mistake: Mistake,
  { files, main }: Project,
): (TextPosition & { readonly file: string }) | null {
  const place = locateMistake(mistake, files, main)
  return place && { file: place.file, ...positionAt(files.get(place.file) ?? '', place.at) }
}

/** A mistake with its place, for machines. Line and column are null where the place is not known. */
export interface PlacedMistake extends Mistake {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
}

export const placedMistakes = (mistakes: readonly Mistake[], project: Project): readonly PlacedMistake[] =>
  mistakes.map((mistake) => {
    const { file, line, column } = placeOf(mistake, project) ?? {
      file: project.main,
      line: null,
      column: null,
    }
    return { ...mistake, file: shown(file), line, column }
  })

/** A declaration that could not be loaded, as a mistake with its place, for machines. */
export function placedLoadMistake(error: LoadMistake, project: Project): PlacedMistake {
  const { file, line, column } = loadPlace(error, project) ?? { file: project.main, line: null, column: null }
  return { where: shown(project.main), what: error.message, hint: '', file: shown(file), line, column }
}

function loadFrame(error: LoadMistake, project: Project): string {
  const place = loadPlace(error, project)
  const text = place && project.files.get(place.file)
  return place && text ? `\n${placeText(place.file, place)}\n${codeFrame(text, place)}` : ''
}

/** Where a file could not be imported, the place of the import; else the line that threw or cannot be parsed. */
function loadPlace(
  { cause }: LoadMistake,
  { files }: Project,
): (TextPosition & { readonly file: string }) | null {
  if (!(cause instanceof Error)) return null
  return (
    stackPosition(cause.stack ?? '', (file) => files.has(file)) ??
    missingImport(cause, (file) => files.get(file))
  )
}

/** An error with its stack, without the lines of the engine and of Node, and the code of the first line in the project. */
export function stackText(error: Error, { files }: Pick<Project, 'files'>): string {
  const stack = error.stack ?? error.message
  const lines = stack
    .split('\n')
    .filter((line) => !/^\s+at /.test(line) || stackPosition(line, isOfProject))
    .map((line) => line.replace(/file:\/\/[^()]+?(?=:\d+:\d+\)?$)/, (url) => shown(fileURLToPath(url))))
  const position = stackPosition(stack, (file) => files.has(file))
  const text = position && files.get(position.file)
  const frame = position && text ? [codeFrame(text, position)] : []
  const cause = error.cause instanceof Error ? [`Caused by ${stackText(error.cause, { files })}`] : []
  return [...lines, ...frame, ...cause].join('\n')
}

const placeText = (file: string, { line, column }: TextPosition): string => `${shown(file)}:${line}:${column}`
const shown = (file: string): string => relative(process.cwd(), file) || file
