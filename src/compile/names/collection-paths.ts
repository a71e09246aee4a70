import type { View } from '../model.ts'

/** The paths of a view's rows, without the version: `/order-items` if there is one, then `/orders/{id}/items` for each owner. */
export const collectionPaths = ({ name, topLevel, under }: View): readonly string[] => [
  ...(topLevel ? [`/${name}`] : []),
  ...under.map((sub) => `/${sub.owner().name}/{id}/${sub.segment}`),
]

/** A row below one of these paths, with the names that the OpenAPI document gives to ids. */
export const rowPath = (collection: string): string =>
  `${collection}/${collection.includes('{id}') ? '{sub_id}' : '{id}'}`
