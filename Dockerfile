# syntax=docker/dockerfile:1

FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts ./scripts
# The image brings Node itself, so no install script has to fetch anything.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN PATH="$PWD/node_modules/.bin:$PATH" node scripts/build.mjs \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# The optional drivers, in the versions the tests ran with. Node looks for them one folder above /app.
RUN version() { node -p "require('/app/package-lock.json').packages['node_modules/$1'].version"; } \
  && npm install --prefix /drivers --no-package-lock --ignore-scripts --no-audit --no-fund \
    "pg@$(version pg)" "ioredis@$(version ioredis)"

FROM node:26-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/nounkit.sqlite
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /drivers/node_modules /node_modules
COPY bin ./bin
COPY template ./template
COPY examples ./examples
RUN ln -s /app/bin/nounkit.js /usr/local/bin/nounkit && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Node is process 1 and gets SIGTERM itself.
ENTRYPOINT ["nounkit"]
CMD ["serve", "examples/shop"]
