import { ident } from './dialect.ts'

/**
 * The numbers by which FTS5 knows rows, in the order of their ids. A UUIDv7 gives 60 bits, its time and its count, and 8 numbers, so that as many
 * rows with the same time and count have one each. All other rows have a number below zero, which says nothing of their order: those of
 * ids that were made elsewhere, and the ninth with one time and count.
 */
export const rowsOfPlace = 8

/** The first number for an id, as SQL; NULL where the id gives none. `->>` reads a number of JSON5, which can be hexadecimal. */
export function placeOfId(id: string): string {
  const uuid = `substr(${id}, -36)`
  const digit = '[0-9a-f]'
  const form = [8, 4].map((length) => digit.repeat(length)).join('-')
  const digits = [`substr(${uuid}, 1, 8)`, `substr(${uuid}, 10, 4)`, `substr(${uuid}, 16, 3)`]
  const number = `('0x' || ${digits.join(' || ')}) ->> '$'`
  return `CASE WHEN ${uuid} GLOB '${form}-7${digit.repeat(3)}-*' THEN (${number}) * ${rowsOfPlace} END`
}

/** The number for a new row. */
export function freeNumber(numbers: string, id: string): string {
  const table = ident(numbers)
  const near = `SELECT "number" FROM ${table} WHERE "number" BETWEEN p."first" AND p."first" + ${rowsOfPlace - 1}`
  const next = `SELECT min(f) FROM (SELECT p."first" AS f UNION ALL SELECT "number" + 1 FROM ${table} WHERE "number" BETWEEN p."first" AND p."first" + ${rowsOfPlace - 2}) WHERE f NOT IN (${near})`
  const below = `min(coalesce((SELECT min("number") FROM ${table}), 0), 0) - 1`
  return `(SELECT coalesce((${next}), ${below}) FROM (SELECT ${placeOfId(id)} AS "first") p)`
}
