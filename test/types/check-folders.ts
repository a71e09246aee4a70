import { compileLoaded, loadApi } from '../../src/cli/load.ts'

/** Prints, for each folder, the mistakes that `nounkit check` finds in its declaration; one JSON text for each. */
for (const folder of process.argv.slice(2)) {
  const found = await loadApi(folder)
    .then(compileLoaded)
    .then(
      () => '',
      (error: Error) => error.message,
    )
  console.log(JSON.stringify(found))
}
