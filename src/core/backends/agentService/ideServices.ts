/** What the service may ask of its editor is not served. In the words that it knows for that: see the source in reply.ts. */
export const notServed = { error: 'Function not found' };
