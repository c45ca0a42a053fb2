/** The last part of an image's name, and its tag. A registry's port is none. */
export function imageParts(image: string): { readonly name: string; readonly tag?: string } {
  const last = image.slice(image.lastIndexOf("/") + 1);
  const [withTag = ""] = last.split("@");
  const [name = "", tag] = withTag.split(":");
  return { name, ...(tag !== undefined && { tag }) };
}
