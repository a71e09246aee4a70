import type { Report } from '../changes/report.ts'
import { hyphenPattern, snakePattern } from '../names/name-rules.ts'

const forms = { hyphens: hyphenPattern, underscores: snakePattern }

/** Whether the older name in a rename can be a name: with hyphens for a resource, with underscores for all others. */
export const namedWell = (name: string, form: keyof typeof forms, report: Report): boolean => {
  if (forms[form].test(name)) return true
  report.mistake(`"${name}" cannot be a name.`, `Write it in lowercase, words joined by ${form}.`)
  return false
}
