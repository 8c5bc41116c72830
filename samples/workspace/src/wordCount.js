/** The words of a text in lower case, in the order in which they occur. */
export function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/** How often each word occurs. */
export function countWords(text) {
  const counts = new Map();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The most frequent words, most frequent first; words that occur equally often in alphabetical order. */
export function mostFrequent(text, limit = 10) {
  return [...countWords(text)]
    .sort(([a, countA], [b, countB]) => countB - countA || a.localeCompare(b))
    .slice(0, limit)
    .map(([word]) => word);
}
