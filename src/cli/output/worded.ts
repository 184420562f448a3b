type Texts = Readonly<Record<string, (data: never) => unknown>>

type DataOf<Text> = Text extends (data: infer Data) => unknown
  ? unknown extends Data
    ? object
    : Readonly<Data>
  : never

/** What a table of texts has words for: data by its type, a key of the table. */
export type Worded<Table extends Texts> = {
  [Type in keyof Table]: { readonly type: Type } & DataOf<Table[Type]>
}[keyof Table]

/** What a table makes of data of one of its types: the words for it, or what is done with it. */
export function byType<Table extends Texts>(table: Table, data: Worded<Table>): ReturnType<Table[keyof Table]> {
  const make = table[data.type] as (data: Worded<Table>) => ReturnType<Table[keyof Table]>
  return make(data)
}
