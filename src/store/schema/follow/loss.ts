import { counted } from '../../../compile/plural.ts'

/** Something that is lost, as the sentence before it is done and the one after. */
export interface Loss {
  readonly ahead: string
  readonly done: string
}

export const lostRows = (why: string, rows: number): Loss => ({
  ahead: `${why}: its ${counted(rows, 'row')} would be lost.`,
  done: `${why}: its ${counted(rows, 'row')} ${rows === 1 ? 'was' : 'were'} lost.`,
})

export const lostValues = (why: string, rows: number): Loss => ({
  ahead: `${why}: its values in ${counted(rows, 'row')} would be lost.`,
  done: `${why}: its values in ${counted(rows, 'row')} were lost.`,
})
