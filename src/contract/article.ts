export { withArticle } from '../core/text/article.ts';
