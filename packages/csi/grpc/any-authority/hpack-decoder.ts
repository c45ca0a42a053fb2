import { HpackReader } from "./hpack-reader.ts";
import { type HeaderField, staticTable } from "./hpack-static-table.ts";
import { MalformedHeaders } from "./malformed-headers.ts";

/** The size that a dynamic table starts with, and may not exceed where the server has not announced another. */
const largestTable = 4096;

/** What a field takes in a table beyond its bytes, by HPACK's way of counting. */
const fieldOverhead = 32;

/** How many bytes the fields of one block may have together, decoded: a block of indices can be a thousand times larger than it is sent. */
const largestBlock = 256 * 1024;

/** Reads the header blocks of one direction of a connection, in their order: what one block adds to the table, later ones refer to. */
export class HpackDecoder {
  /** The newest field first, as indices count them. */
  readonly #dynamic: HeaderField[] = [];
  #size = 0;
  #limit = largestTable;

  /** The fields of a complete block. Throws `MalformedHeaders`, after which the decoder is of no more use. */
  decode(block: Buffer): HeaderField[] {
    const reader = new HpackReader(block);
    const fields: HeaderField[] = [];
    let decodedBytes = 0;
    while (!reader.done) {
      const first = reader.peek();
      if ((first & 0xe0) === 0x20) {
        if (fields.length > 0) throw new MalformedHeaders("a table size update after the first field");
        this.#resize(reader.integer(5));
        continue;
      }
      const field = this.#field(reader, first);
      decodedBytes += sizeOf(field);
      if (decodedBytes > largestBlock) throw new MalformedHeaders("a header list that is too large");
      fields.push(field);
    }
    return fields;
  }

  #field(reader: HpackReader, first: number): HeaderField {
    if (first & 0x80) return this.#at(reader.integer(7));
    const indexed = (first & 0x40) !== 0;
    const nameAt = reader.integer(indexed ? 6 : 4);
    const name = nameAt === 0 ? reader.string() : this.#at(nameAt)[0];
    const field: HeaderField = [name, reader.string()];
    if (indexed) this.#add(field);
    return field;
  }

  #at(index: number): HeaderField {
    const field = index <= staticTable.length ? staticTable[index - 1] : this.#dynamic[index - staticTable.length - 1];
    if (!field) throw new MalformedHeaders(`no header field has the index ${index}`);
    return field;
  }

  #add(field: HeaderField): void {
    this.#dynamic.unshift(field);
    this.#size += sizeOf(field);
    this.#evict();
  }

  #resize(limit: number): void {
    if (limit > largestTable) throw new MalformedHeaders(`a header table of ${limit} bytes`);
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const oldest = this.#dynamic.pop();
      if (!oldest) break;
      this.#size -= sizeOf(oldest);
    }
  }
}

function sizeOf([name, value]: HeaderField): number {
  return name.length + value.length + fieldOverhead;
}
