/** How much a model thinks before it answers; each wire maps it to its own words. */
export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high'
