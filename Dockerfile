# syntax=docker/dockerfile:1
#
# In the container the server listens on loopback until it is told otherwise, and so cannot be reached.
# With a secret for tokens set, `-e HOST=0.0.0.0` opens it. Without one it is open to everybody, and refuses any
# address but loopback unless PLANROOM_INSECURE_OPEN=1 says that this is meant. Neither is set here, on purpose.
#
#   docker build -t planroom .
#   docker run -p 4080:4080 -v plans:/data -e HOST=0.0.0.0 -e PLANROOM_INSECURE_OPEN=1 planroom
#
# `npm run install:production -- <folder>` does what the last stage does, without Docker: it reads this file.
ARG NODE=20

# Everything, and a compiler for better-sqlite3 where no binary of it fits.
FROM node:${NODE}-slim AS dependencies
WORKDIR /app
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci

FROM dependencies AS build
COPY . .
RUN npm run build

# What runs: no compiler, no sources. The compiled addon comes from the stage that has the compiler.
FROM node:${NODE}-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json /app/package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
COPY --from=build /app/node_modules/better-sqlite3/build/Release/better_sqlite3.node node_modules/better-sqlite3/build/Release/
COPY --from=build /app/dist dist
COPY --from=build /app/scripts/built.mjs scripts/

RUN install --directory --owner=node --group=node /data
USER node
ENV PLANROOM_DATA_DIR=/data
ENV PORT=4080
VOLUME /data
EXPOSE 4080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server/main.js"]
