package dataset

// What is said of companies. The notation is that of grammar.

var openings = newGrammar(`
{name} [designs|develops|is engaged in developing], [manufactures|produces] and [markets|sells|distributes] <Product>{product}</Product> [for|that are used by] {customers} and {customers}.
{name}, [together with|through] its [wholly owned subsidiaries|operating subsidiaries and affiliates], is [a leading|an independent|a diversified|a regional|one of the largest] [provider|supplier|producer] of {product} in {region}.
{name} [was incorporated|was founded|began operations] in {city} in {year} [and today|and now|and since {recent}] [offers|provides] <Product> {product} </Product> to [more than |about |]{many} customers.
{name} is a holding company [whose principal activities are|that is principally engaged in] {verbing} and {verbing} {product}. [Its headquarters are|It is based] in {city}.
Based in {city}, {name} operates [in|through] {few} [business|reportable|operating] segments, of which {product} [is by far the largest|contributed {pct} of {recent} revenue|is the most profitable].
{name} [operates|conducts its business] through two [segments|divisions]: {brand}, which [is engaged in {verbing}|focuses on] <Product>{product}</Product>, and {brand}, which [serves|supplies] {customers} [in|across] {region}.
{name} [provides|offers] {product}, {product} and related services. [Founded by|Named after] {person} in {year}, {co} [employs {many} people|had {many} employees at the end of {recent}|is still controlled by the founding family].
[Formed|Established] in {year} [by the merger of {brand} and {brand}|as a spin-off from {rival}|out of bankruptcy], {name} [has become|is] a [global|national|niche] [supplier|source] of {product}.
{name} [specializes in|concentrates on] {quality} {product}. [It|The Company] [sells|ships] [directly|through distributors] to {customers} in [{country} and {country}|{some} countries|{region} and {region}].
The principal business of {name} is the [sale|production|supply|development] of <Product>{product}</Product> [under the {brand} name|under contracts with {customers}|for export to {country}].
{name} and its subsidiaries [make|supply|source and resell] {product} and, since the acquisition of {brand} in {recent}, {product}.
{name} [trades|does business] as {brand} in {country} and as {brand} elsewhere; [its|the group's] {some} [branches|locations|plants|offices] [serve|cater to] {customers}.
`)

var bondOpenings = newGrammar(`
{name} is a [senior unsecured|senior secured|subordinated|first mortgage] [note|bond|debenture] [issued|guaranteed] by {root}, [a supplier|a producer|a provider] of {product}. It is rated <Rating>{rating}</Rating> [by the major agencies|by one agency and {rating} by another|with a [stable|negative|positive] outlook].
The {name} notes [were sold|were placed|were issued] in {month} {recent} [to refinance|to repay|in order to retire] [bank loans|commercial paper|bridge financing] of {usd}. <Rating> {rating} </Rating> is the [current|latest] rating of the issuer, which sells {product} to {customers}.
{root} [issued|placed] {usd} of {name} in {recent}; interest is paid [semiannually|quarterly|once a year] in {month}. The issuer's main business is {verbing} <Product>{product}</Product>.
{name}: [callable|non-callable|puttable] [at par|at {pct} of par] [from {date}|after {date}], [secured by|backed by] {asset} and {asset}. <Risk>The claim ranks [behind|equally with|ahead of] {usd} of [other debt|bank debt|trade payables]</Risk>, and the covenants limit [dividends|further liens|sales of assets].
Proceeds of the {name} issue of {date}, some {usd}, [paid for|financed] the [purchase|construction] of {asset} in {city}. The borrower, {root}, [supplies|serves] {customers} with {product}.
`)

var companySentences = newGrammar(`
{Co} [markets|sells] its {product} [under the|using the] <Product>{brand}</Product>, <Product>{brand}</Product> and <Product>{brand} </Product>[brands|names|trademarks].
[Principal|Major|Significant] competitors [include|are] <Competitor>{rival}</Competitor>, <Competitor>{rival}</Competitor> and [a number of|several|many] [smaller|privately held|regional] [companies|firms].
In the market for {product}, {co} competes [primarily|mainly] [with|against] <Competitor> {rival} </Competitor> on the basis of [price|quality|delivery times|service|technology], [breadth of product line|reputation|location] and [availability|customer support|financing terms].
[Since {recent}|Since {month} {recent}|For the past {few} years] <CEO>{chief}</CEO> has [led|headed|run] the Company[|, having earlier worked for {rival}|, after {few} years as head of finance].
<CEO>{chief} </CEO>[serves|acts] as chairman and chief executive officer; {person} [is|was named] chief financial officer in {month} {recent}.
The board [appointed|elected|confirmed] <CEO>{chief}</CEO> on {date}[| to succeed {person}| following the retirement of {person}].
At the end of {recent}, total assets were <Assets>{usd}</Assets>, [compared with|up from|down from] {usd} [a year earlier|{few} years earlier].
{Co} [owns|leases|operates] {some} [plants|stores|facilities|offices|warehouses] in {few} [states|countries|provinces], [of which|including] {few} in {country}; their book value is <Assets>{usd}</Assets>.
Among its [assets|properties] are <Assets>{asset}</Assets> and <Assets>{asset}</Assets> [in|near|outside] {city}.
{Co} [pays|has paid] a [quarterly|semiannual|regular] dividend; <Dividend>the latest was [declared|raised by {pct}] on {date}</Dividend> [and is covered {few} times by earnings|and is expected to continue|but is restricted by covenants].
<Dividend>No cash dividends</Dividend> have been [paid|declared] since {recent}, and {co} intends to [retain earnings|reinvest its cash flow] [to finance growth|to repay debt|for the expansion of {verbing} operations].
[Results|Earnings|Margins] are [exposed to|affected by|sensitive to] <Risk>the price of {input}</Risk>, <Risk>{input}</Risk> and [changes in|the level of] [interest rates|consumer confidence|foreign exchange rates|government spending].
<Risk>A [loss|reduction in orders|default] by one of its {few} largest customers</Risk>, which [together accounted for|represented] {pct} of sales in {recent}, [could|would] have a material adverse effect.
Debt is rated <Rating>{rating}</Rating>; {usd} falls due in {recent}, and {co} has [an undrawn|a revolving] credit facility of {usd} [with {rival}|expiring in {month}].
[The senior notes|Its bonds|The preferred shares] [carry a rating of|are rated] <Rating> {rating} </Rating> [with a stable outlook|under review for downgrade|after an upgrade in {month}].
The [Company's|group's|management's] <Strategy>strategy is to [expand|grow] in {region} through [acquisitions|franchising|joint ventures|new products]</Strategy>, [while|and at the same time] [cutting|reducing] costs by {usd} [a year|over {few} years].
{Co} [plans|intends] to <Strategy>[dispose of|divest|wind down] its {product} business</Strategy> and [concentrate|focus] on {product}, where [returns|growth rates|margins] [are higher|exceed {pct}].
Sales outside {country} [accounted for|made up|were] {pct} of the total in {recent}, [against|compared with] {pct} in {recent}.
{Co} [spent|invested] {usd}, or {pct} of revenue, on research and development [in {recent}|last year], [mainly|most of it] for {quality} {product}.
[Approximately|About|Some|Nearly] {many} of its {many} employees are [represented by unions|covered by collective agreements|located in {country}], and [contracts|agreements] [expire|are to be renegotiated] in {month} {recent}.
In {month} {recent}, {co} [acquired|bought|took over] {brand} of {city} for {usd} [in cash|in cash and stock|plus assumed debt], [adding|which added] {product} to its [range|portfolio|offering].
On {date}, {co} [completed|announced] the sale of its [stake in|interest in|holding in] {rival} [for {usd}|at a loss of {usd}|to {person} and a group of investors].
{Co} [holds|has been granted] {some} patents [in|relating to] {verbing} {product}, [the most important of which|some of which] expire in {recent}.
A joint venture with {rival}, [owned equally|of which {co} holds {pct}], is {verbing} {product} in {city}.
Raw materials [such as|including] {input} and {input} are [bought|purchased|obtained] from [{few} suppliers|a limited number of sources|suppliers in {country} and {country}].
[Demand|The market] for {product} is [seasonal|cyclical|growing at about {pct} a year], with [peak sales|the strongest quarter] [in|ending in] {month}.
The [first|second|third|fourth] quarter [usually|normally] [contributes|accounts for] {pct} of annual earnings because {customers} [order|buy|renew contracts] in {month}.
{Co} is subject to [environmental|federal and state|health and safety|banking|customs] regulations in [{country}|{few} jurisdictions|every market where it operates], and has [accrued|set aside] {usd} for [remediation|litigation|restructuring].
[A lawsuit|An action|A complaint] [filed|brought] by {rival} in {month} {recent} [alleges|claims] infringement of patents on {product}; {co} [believes the claims are without merit|has settled for {usd}|is appealing the verdict].
[Order backlog|The backlog] at the end of {month} [stood at|was|reached] {usd}, [up|down] {pct} [from the prior year|since {recent}].
{Co} distributes <Product>{product}</Product> <Product>{product}</Product> and accessories [by mail order|over the internet|via {some} dealers|from {few} regional depots].
Through <Keyword>{brand}</Keyword>, its [online|trading|procurement|financing] [subsidiary|arm|platform], {co} reaches {many} {customers}.
The {brand} [division|unit|line], [acquired|launched|reorganized] in {recent}, [makes|develops|tests] {product} for {customers} in {country}.
[Revenue|Turnover|Net sales] [rose|increased|grew|climbed] {pct} to {usd} in {recent}, [helped by|driven by|thanks to] {product} [and a weak dollar|and higher prices|and the opening of {some} sites].
[Revenue|Turnover|Net income|Operating profit] [fell|declined|dropped|slipped] {pct} to {usd} in {recent}, [hurt by|reflecting|as a result of] [higher prices of|shortages of] {input}[ and competition from {rival}| and start-up costs in {country}|].
{Co} is a member of the <Index>{index}</Index>[ and has been since {recent}|, in which its weight is {pct}| and of {few} sector indexes].
Its shares were [added to|removed from] the <Index> {index} </Index> on {date}.
{person}, [a director|founder|the largest shareholder], [holds|controls] {pct} of the [voting|common|outstanding] shares; [funds managed by|institutions led by] {rival} hold {pct}.
[Capital expenditures|Investments in property and equipment] [are budgeted at|will amount to|were] {usd}, [chiefly|mainly|largely] for [expanding|modernizing|replacing] {asset} in {city}.
{Co} [employs|has|maintains] a [direct sales force of|field organization of|network of] {some} [people|representatives|agents] [and sells abroad through distributors|covering {region}|who call on {customers}].
[Customers|Clients|Accounts] include {customers}, {customers} and {customers}; none [accounts|accounted] for more than {pct} of [revenue|sales|receivables].
The plant in {city}, [opened|rebuilt|enlarged] in {year}, [has an annual capacity of|can turn out|produces] {many} [tons|units|barrels|cases|pallets] and runs at {pct} of it.
{Co} [licenses|sublicenses] the {brand} [name|technology|process] [from|to] {rival} [until {recent}|for a royalty of {pct}|in {region}].
<Keyword> {brand} </Keyword>technology, [developed|invented] [in-house|by {person}|at the laboratories in {city}], [reduces|lowers] the use of {input} by {pct}.
[Following|After] the [flood|fire|strike|recall] of {month} {recent}, {co} [recorded|booked|took] a charge of {usd}[ and closed its {city} works| and replaced its suppliers|, most of which was insured].
To [protect|hedge] itself against [movements|swings] in [currencies|interest rates|the price of {input}], {co} [uses|enters into] [forward contracts|swaps|options] with maturities of up to {few} [months|years].
[Competition|Pricing pressure] from [producers|importers] in {country} [intensified|has increased] [during {recent}|since {month}], [and|so that] {co} [cut|lowered] its list prices by {pct}.
{Co} [believes|estimates] that it [holds|has] {pct} of the market for {product} in {region}, [ahead of|behind] <Competitor>{rival}</Competitor>.
[Management|The Company] [expects|forecasts|projects] [earnings|revenue|cash flow] to [grow|rise] by {pct} [annually|in {recent}|over the next {few} quarters], [assuming|provided that] [stable prices of {input}|no further deterioration in {region}].
[Pension|Retirement] plans [cover|extend to] {many} [current and former |]employees and were [underfunded|overfunded] by {usd} at the end of {recent}.
{Co} [opened|will open|is building] [a research center|a distribution hub|a service center|outlet number {some}] in {city} [in {month}|by {recent}|at a cost of {usd}].
[Stockholders|Shareholders] [approved|rejected] [a two-for-one split|an increase of the authorized shares|a new stock option plan] [on|at the meeting of] {date}.
The [repurchase|buyback] [program|authorization] of {month} {recent} [covers|provides for] {many} shares, of which {pct} [had been bought|were retired] [by|as of] {date}.
[Government|Military|Public sector] contracts, [most of them|some of them] [with|for] agencies of {country}, [contributed|generated] {pct} of [revenue|orders].
{Co} [introduced|launched|rolled out] <Product>{brand}</Product>, [a line of|a family of|its first] {quality} {product}, [at a trade fair in {city}|in {month} {recent}|to {customers}].
[Quality|Service] [problems|complaints] with the {brand} [line|range] [led to|caused] [returns|warranty costs|credits] of {usd} in {recent}.
[Under|According to] an agreement [signed|announced] on {date}, {rival} will [supply|buy|distribute] {product} [exclusively|for {few} years|in {country} and {country}].
{Co} [depends on|relies on] [a single source|two suppliers|{rival}] for {input}; <Risk>an interruption of supplies</Risk> [would|might] [halt|delay|raise the cost of] production.
[Deregulation|Consolidation|New legislation|Privatization] in {country} [has opened|opens|is expected to open] [opportunities|a market of {usd}] for {product}.
<Cost>[Operating|Administrative|Selling] expenses were {pct} of [sales|revenue]</Cost>, [an improvement of|a deterioration of] {few} basis points [on|against] {recent}.
[A program|An initiative] named {brand} is to [lower|bring down] <Cost>annual costs by {usd}</Cost> [through|by means of] [outsourcing|plant closures|shared services|electronic procurement] [before|until] {recent}.
{Co} [rents|occupies] its headquarters, {many} square feet in {city}, [under a lease that runs until {recent}|from {person}|rent free].
[Inventory|Receivables] [rose|fell] to {usd}, equivalent to {some} days of sales.
[Insurance|Coverage] is [carried|maintained] for [product liability|business interruption|earthquakes|{asset}] up to {usd}, with [a deductible|self-insured retention] of {usd}.
The name {brand} [goes back to|derives from|was that of] [a workshop|a store|a ferry|a mill] that {person} [ran|bought|founded] in {city} in {year}.
[Several|Two|Most] members of the board, among them {person} and {person}, [also sit|formerly sat] on the board of {rival}.
[Licenses|Franchises|Concessions] in {country} [expire|must be renewed] [by {recent}|every {few} years] and [cost|yield] {usd} [each|in total].
{Co} [is|was] the first [company in|supplier from] {country} to [offer|certify|sell] {quality} {product}.
[Tests|Trials|Pilot projects] of {quality} {product} with {customers} [began|ended] in {month} {recent} [and showed savings of {pct}|without success|and led to orders of {usd}].
[Its|The] [fleet|network|workforce|range] [comprises|consists of|numbers] {many} [vehicles|nodes|people|items], [up|down] from {many} in {recent}.
<Holdings>{co} holds {pct} of {rival}</Holdings>, [bought|acquired] [in {recent}|for {usd}], and [accounts for it by the equity method|carries it at market value].
[Listed|Quoted|Traded] in {city} since {year}, the shares [are also listed|have a second listing] in {city}.
The segments are [determined|organized|reported] [on the basis of|according to] [several factors|the needs of customers|internal management reporting], including [customer base|the nature of the products|geographic markets], [homogeneity of products|production processes|technology] and [delivery channels|distribution methods|regulatory environment].
{Co} [sells|offers] its products[ and services|] [through|by way of] [a global sales and distribution organization|independent distributors and resellers|its own stores and its online channels], [which|and these] [have|are given] both a geographic and [an industry|a product] focus.
[The Company's|Its|The group's] operating results are affected by such factors as the [introduction|timing] of new products, the [length|seasonality] of the sales cycles, [changes in the mix of products sold|the competitive environment] and general economic conditions in the markets in which it operates.
The Company [does not depend|is not dependent] on any single patent or group of patents, but [believes|considers] that its [patents, trademarks and know-how|intellectual property rights] taken together are [important|material] to the conduct of its business.
[Most|The majority|More than {pct}] of the products are sold under [short-term purchase orders|long-term supply agreements|contracts that may be cancelled at short notice], and [the Company|management] does not consider [the backlog|order intake] to be a [reliable|meaningful] indicator of future results.
[In addition to|Beside] its manufacturing operations, the Company provides [installation, maintenance and training|design and engineering|financing and leasing] services to its customers, and [these services have|this business has] [generally|historically] been [more stable|more profitable] than the sale of products.
The markets [in which|where] the Company [competes|operates] are [highly competitive|fragmented|mature|subject to rapid technological change], and some of its competitors have [substantially|significantly] greater financial, technical and marketing resources than [it has|the Company].
[Management|The board of directors] [believes|is of the opinion] that the [existing|present] facilities are [adequate|suitable] for the [current|foreseeable] needs of the business and that [suitable|additional] space [will|would] be available [on commercially reasonable terms|if it were required].
The business [requires|depends on] [skilled personnel|qualified engineers|experienced managers], and the [loss|departure] of [key employees|members of senior management] [could|may] [adversely affect|harm] its [ability to compete|operations and financial condition].
[Customers|Buyers] [choose|select] a supplier [primarily|mainly] for the [quality and reliability|price and availability|performance and cost] of its products, and [secondarily|to a lesser degree] for [technical support|breadth of product line|reputation].
The Company [maintains|operates] a [quality management|compliance|supplier evaluation] system that [covers|includes] all of its [facilities|operations|subsidiaries] and is [reviewed|audited] [annually|regularly] by [independent|external] [experts|auditors].
[Products|Services] are [developed|designed] in close cooperation with {customers}, [whose requirements|whose specifications] [change|differ] from [one market to another|country to country|season to season].
[A number of|Several|Many] [states|countries|jurisdictions] have adopted [laws|regulations|standards] that [govern|restrict] the [manufacture, labeling and sale|advertising and distribution|transportation and disposal] of {product}, and compliance with [them|these requirements] has [not had|had] a material effect on [earnings|capital expenditures] [to date|so far].
The Company [purchases|obtains] [components, supplies and raw materials|most of its materials] from a [substantial|limited] number of suppliers around the world, and [has not experienced|has at times experienced] [significant|serious] difficulties in [obtaining|replacing] them.
[Growth|Expansion] is expected to come from [existing customers|the existing lines of business] and from [acquisitions of complementary businesses|entry into new geographic markets|new applications for existing products].
The [operations|activities] of the Company are [subject to|exposed to] [numerous|the usual] risks of [international business|the industry], among them [political instability|currency restrictions|changes in tax laws], [trade barriers|delays in payment|difficulties in enforcing contracts] and [natural disasters|labor disputes|import duties].
[Revenue|Income] from [services|long-term contracts|the sale of products] is recognized [when|as] [the services are performed|title and risk of loss have passed to the customer|work progresses], [and|whereas] [provision is made|reserves are established] for [estimated returns and allowances|warranty claims|doubtful accounts].
[Because|Since] [demand|the level of activity] [follows|depends on] [consumer spending|the construction cycle|capital investment by industry], results for [any one quarter|an interim period] are not necessarily indicative of [the results|those] to be expected for the [full year|year as a whole].
[Over the years|In recent years] the Company has [moved|shifted] [production|a growing part of its purchasing|much of its development work] to [countries with lower labor costs|regions closer to its customers|contract manufacturers], while [research and administration|the final stages of assembly|the most demanding operations] [remain|have remained] where they were.
The [principal|most important] [methods|elements] of competition in the [industry|business] are [price, quality and service|product innovation and brand recognition|location, selection and convenience], and the Company [believes|considers] that it [compares favorably|competes effectively] in [all of them|most respects].
[Advertising|Marketing] [is directed|programs are directed] at [both the trade and the consumer|professional users|wholesale buyers] and [consists|consist] of [trade shows|television and print campaigns|cooperative promotions with retailers], [supported by|together with] [point-of-sale materials|a staff of technical advisers|discounts for large orders].
`)
